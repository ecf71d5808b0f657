import { headersOf, type Listening, listenOn, MAX_BYTES } from "../../fidelity/http-server.ts";
import type { Response, SeenWebhook } from "../../fidelity/exchange.ts";
import type { Observed } from "../../fidelity/runner.ts";
import { EXPERIMENTS } from "../../fidelity/plan.ts";
import { type HttpCall, sendRequest } from "../../platform/http-request.ts";

/** A response with its bytes: not every body is a text. */
export interface ByteResponse extends Response {
  readonly bytes: Buffer;
}

/** Sends a call over HTTP. Follows no redirect: another host must not get the token. */
export const sendCall = async ({
  url,
  ...call
}: HttpCall & { url: string }): Promise<ByteResponse> => {
  const response = await sendRequest(url, call, {});
  const { statusCode: status = 0, headers } = response;
  const bytes = await readBytes(response);
  return { status, headers: headersOf(headers), body: bytes.toString(), bytes };
};

async function readBytes(response: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`The response has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Receives the webhooks of experiments: the last two parts of each path name the experiment and its attempt. */
export async function receiveWebhooks(
  port: number,
  observed: Observed,
  nowMs: () => number,
): Promise<Listening> {
  let isListening = true;
  const server = await listenOn(port, async ({ method, path, headers, body, closed }) => {
    const atMs = nowMs();
    const [attempt = "", name = ""] = path.split("/").toReversed();
    const respond = EXPERIMENTS[name]?.receives?.respond;
    if (respond === undefined || observed.attempts[name] !== attempt) return { status: 404 };
    const webhook: SeenWebhook = { atMs, method, headers, body: body.toString() };
    (observed.webhooks[name] ??= []).push(webhook);
    if (respond !== "nothing") return { status: respond };
    void closed.then(() => {
      // Otherwise this receiver has closed the connection.
      if (isListening) webhook.heldMs = nowMs() - atMs;
    });
    return respond;
  });
  return {
    port: server.port,
    async [Symbol.asyncDispose]() {
      isListening = false;
      await server[Symbol.asyncDispose]();
    },
  };
}
