import { unknownRoute } from "../calls/refusals.ts";
import { definePage } from "../definitions/route.ts";
import { readJson } from "../parse/body.ts";

/** The tools for coding agents. The protocol describes itself: the OpenAPI document does not. */
export const pages = [
  definePage({
    path: "/_sandbox/mcp",
    method: "POST",
    handle: async (call, { answerTools }) => {
      if (!answerTools) throw unknownRoute();
      const answer = await answerTools(await readJson(call));
      const headers = { "content-type": "application/json" };
      return answer === undefined
        ? { status: 202, headers: {}, body: null }
        : { status: 200, headers, body: JSON.stringify(answer) };
    },
  }),
];
