import * as z from "zod";
import { toAnswer } from "../calls/answer.ts";
import { readToken } from "../calls/headers.ts";
import { describeApi } from "../openapi/describe-api.ts";
import { defineRoute } from "../definitions/route.ts";

const document = z.looseObject({ openapi: z.string().regex(/^3\.1\.\d+$/) }).meta({
  id: "OpenApi",
  description: "This document.",
  examples: [{ openapi: "3.1.1" }],
});

export const routes = [
  defineRoute({
    path: "/_sandbox/openapi.json",
    method: "GET",
    id: "describeApi",
    tag: "Sandbox",
    summary: "Returns this document for the effective assumptions.",
    caller: "integration",
    answer: document,
    handle: async (call, { gateway, controlToken }) => {
      const sandbox = { serverUrl: "/", isProtected: controlToken !== undefined };
      return toAnswer({ ...(await describeApi(gateway.assumptionsOf(readToken(call)), sandbox)) });
    },
  }),
];
