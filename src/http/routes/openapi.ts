import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import { type Answer, toAnswer } from "../answer.ts";
import { readToken } from "../token.ts";
import { describeApi } from "../openapi.ts";

/** `GET /_sandbox/openapi.json`: as the choices that hold have it. */
export function describeRoutes({ gateway }: Context): (call: Call) => Promise<Answer> {
  return async (call) => toAnswer(describeApi(gateway.assumptionsOf(readToken(call)), "/"));
}
