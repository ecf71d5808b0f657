import * as z from "zod";
import { toAnswer } from "../calls/answer.ts";
import { readToken } from "../calls/headers.ts";
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
    handle: async (call, { gateway, controlToken, describeApi }) => {
      const assumptions = gateway.assumptionsOf(readToken(call));
      return toAnswer({ ...(await describeApi(assumptions, controlToken !== undefined)) });
    },
  }),
];
