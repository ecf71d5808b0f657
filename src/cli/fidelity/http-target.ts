import { headersOf, type Listening, listenOn } from "../../fidelity/http-server.ts";
import type { Response, SeenWebhook } from "../../fidelity/exchange.ts";
import type { Observed, Target } from "../../fidelity/runner.ts";
import { EXPERIMENTS } from "../../fidelity/plan.ts";
import { readText, sendRequest } from "../../platform/http-request.ts";

/** Sends a call over HTTP. */
export const sendCall = async ({
  url,
  ...call
}: Parameters<Target["send"]>[0] & { readonly signal?: AbortSignal }): Promise<Response> => {
  const response = await sendRequest(url, call, {});
  const { statusCode: status = 0, headers } = response;
  return { status, headers: headersOf(headers), body: await readText(response) };
};

/** Receives the webhooks of experiments: the last two parts of each path name the experiment and its attempt. */
export async function receiveWebhooks(
  port: number,
  observed: Observed,
  nowMs: () => number,
): Promise<Listening> {
  return listenOn(port, async ({ method, path, headers, body, closed }) => {
    const atMs = nowMs();
    const [attempt = "", name = ""] = path.split("/").toReversed();
    const respond = EXPERIMENTS[name]?.receives?.respond;
    if (respond === undefined || observed.attempts[name] !== attempt) return { status: 404 };
    const webhook: SeenWebhook = { atMs, method, headers, body: body.toString() };
    (observed.webhooks[name] ??= []).push(webhook);
    if (respond !== "nothing") return { status: respond };
    void closed.then(() => {
      webhook.heldMs = nowMs() - atMs;
    });
    return respond;
  });
}
