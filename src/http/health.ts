import { VERSION } from "../core/version.ts";
import { toAnswer } from "./answers/answer.ts";
import type { Context } from "./context.ts";

/** Answers `GET /_sandbox/health`. It stands apart from its route so that a start loads no schemas for it. */
export async function answerHealth(_call: unknown, { gateway }: Pick<Context, "gateway">) {
  return gateway.isDegraded
    ? toAnswer({ status: "degraded", version: VERSION } as const, 503)
    : toAnswer({ status: "ok", version: VERSION } as const);
}
