import type { RequestListener } from "node:http";
import { VERSION } from "../../wire/version.ts";
import { type Answer, toAnswer, toControlAnswer, withHeaders } from "../calls/answer.ts";
import { send } from "./node.ts";

const WAITS =
  "This sandbox waits until another one ends, which uses the same state. Call that one, or try again in a moment.";

/**
 * Answers while the process waits for its state: the health check with 200, everything else with 503. It is the same
 * for every host and origin, and says nothing of the sandbox.
 */
export const answerWaiting: RequestListener = (request, response) => {
  request.resume();
  const [path = ""] = (request.url ?? "").split("?");
  const isRead = request.method === "GET" || request.method === "HEAD";
  send(response, toControlAnswer(isRead ? answerAt(path) : REFUSAL));
};

function answerAt(path: string): Answer {
  if (path === "/_sandbox/health") return toAnswer({ status: "ok", version: VERSION });
  if (path === "/_sandbox/ready") return toAnswer({ ready: false, version: VERSION }, 503);
  return REFUSAL;
}

const REFUSAL = withHeaders(toAnswer({ message: WAITS, code: "EXTERNAL_ERROR", errors: [] }, 503), {
  "retry-after": "1",
});
