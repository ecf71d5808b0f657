import type { H3Event } from "h3";
import type { Context } from "../context.ts";
import { toAnswer } from "../envelope.ts";
import { readToken } from "../headers.ts";
import { describeApi } from "../openapi.ts";

/** `GET /_sandbox/openapi.json`: as the choices that hold have it. */
export function describeRoutes({ gateway }: Context): (event: H3Event) => Promise<Response> {
  return async (event) => toAnswer(describeApi(gateway.assumptionsOf(readToken(event)), "/"));
}
