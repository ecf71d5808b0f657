import { VERSION } from "../../wire/version.ts";
import type { Role } from "../../core/state/ports.ts";
import { type Answer, toAnswer } from "../calls/answer.ts";
import type { Context } from "./context.ts";

// These stand apart from their routes so that a start loads no schemas for them.

/** Answers `GET /_sandbox/health`: whether the process runs as it should. */
export async function answerHealth(_call: unknown, context: HealthContext): Promise<Answer> {
  const status = context.gateway.isDegraded ? "degraded" : "ok";
  return toAnswer(
    { status, version: VERSION, ...(context.lease && { role: roleOf(context) }) },
    status === "ok" ? 200 : 503,
  );
}

/** Answers `GET /_sandbox/ready`: whether calls should be sent to this process. */
export async function answerReady(_call: unknown, context: HealthContext): Promise<Answer> {
  const role = roleOf(context);
  const isReady = role === "leader" && !context.gateway.isDegraded;
  return toAnswer({ ready: isReady, version: VERSION, role }, isReady ? 200 : 503);
}

type HealthContext = Pick<Context, "gateway" | "lease">;

/** A process whose state no other one shares always leads. */
function roleOf({ lease }: HealthContext): Role {
  return lease === undefined || lease.isHeld ? "leader" : "standby";
}
