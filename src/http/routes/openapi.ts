import * as z from "zod";
import { SHOW_OPENAPI } from "../../core/state/wire-routes.ts";
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
    at: SHOW_OPENAPI,
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
