import { once } from "node:events";
import http from "node:http";

export interface StartedCall extends AsyncDisposable {
  readonly answer: Promise<{ readonly status: number | undefined; readonly body: unknown }>;
}

/** Calls a control route that does not answer at once. Resolves when the sandbox has begun to handle the call. */
export async function startCall(
  url: string,
  method: string,
  route: string,
  token?: string,
): Promise<StartedCall> {
  const request = http.request(`${url}/_sandbox${route}`, {
    method,
    agent: false,
    headers: {
      // The sandbox sends 100 Continue when it begins to handle the call.
      expect: "100-continue",
      ...(method === "POST" && { "content-length": "0" }),
      ...(token !== undefined && { "x-api-token": token }),
    },
  });
  const answer = (async () => {
    const [incoming] = (await once(request, "response")) as [http.IncomingMessage];
    let text = "";
    for await (const chunk of incoming.setEncoding("utf8")) text += chunk as string;
    return { status: incoming.statusCode, body: JSON.parse(text) as unknown };
  })();
  answer.catch(() => undefined);
  request.flushHeaders();
  await once(request, "continue");
  request.end();
  return {
    answer,
    async [Symbol.asyncDispose]() {
      if (request.closed) return;
      const closed = new Promise((resolve) =>
        request.on("error", () => undefined).once("close", resolve),
      );
      request.destroy();
      await closed;
    },
  };
}
