import { VERSION } from "../../core/version.ts";
import type { Context } from "../context.ts";
import { type Answer, toAnswer } from "../answer.ts";

/** `GET /_sandbox/health`: answered once the sandbox is ready; the first route that a start needs, and the only one. */
export function health({ gateway }: Context) {
  return async (): Promise<Answer> =>
    gateway.isDegraded
      ? toAnswer({ status: "degraded", version: VERSION }, 503)
      : toAnswer({ status: "ok", version: VERSION });
}
