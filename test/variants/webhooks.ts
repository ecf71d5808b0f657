import { createHmac, randomUUID } from "node:crypto";
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Body, Deviates } from "./checks.ts";
import type { Choices } from "./rows.ts";
import type { Timers } from "./timers.ts";

/** The waits before each attempt in seconds, each counted from the end of the attempt before. */
const SCHEDULES: Readonly<Record<string, readonly number[]>> = {
  laptop: [0, 1, 5, 25],
  production: [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
};
const DAY_SECONDS = 86_400;
const GONE = 410;
const HEADERS = { "content-type": "application/json", "user-agent": "pix-gateway" };

export type SendWebhook = (url: string, type: string, data: Body) => void;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Body;
}

interface Outcome {
  /** 0 if no whole response arrived in time. */
  readonly status: number;
  readonly retryAfterSeconds: number;
}

/** Sends the events of a variant, signed and repeated as its choices say. The secret is `whsec_` and base64. */
export function startWebhooks(
  choices: Choices,
  deviates: Deviates,
  timers: Timers,
  secret: string,
): { readonly send: SendWebhook; readonly stop: () => void } {
  const underWay = new Set<ClientRequest>();

  function send(url: string, type: string, data: Body): void {
    const id = `evt_${randomUUID().replaceAll("-", "")}`;
    void attempt(url, { id, type, created_at: new Date().toISOString(), data }, 0);
  }

  async function attempt(url: string, event: Event, number: number): Promise<void> {
    const { status, retryAfterSeconds } = await post(url, event);
    const highest = choices["webhook.success"] === "only_200" ? 200 : 299;
    if ((status >= 200 && status <= highest) || status === GONE) return;
    const wait = schedule()[number + 1];
    if (wait === undefined) return;
    const seconds = Math.max(wait, Math.min(retryAfterSeconds, DAY_SECONDS));
    timers.after(seconds, () => void attempt(url, event, number + 1));
  }

  function schedule(): readonly number[] {
    const chosen = SCHEDULES[choices["webhook.retries"]];
    if (chosen === undefined) return [0];
    return deviates("webhook.retries_after_3") ? [0, 3, 3] : chosen;
  }

  /** Always resolves: a receiver that cannot be reached is an outcome. */
  function post(url: string, event: Event): Promise<Outcome> {
    const { id, type, data } = event;
    const isFlat = deviates("webhook.without_envelope");
    const body = JSON.stringify(isFlat ? { event: type, ...data } : event);
    const method = deviates("webhook.by_put") ? "PUT" : "POST";
    const headers = { ...HEADERS, ...signature(id, body) };
    const open = url.startsWith("https:") ? httpsRequest : httpRequest;
    const request = open(url, { method, headers, agent: false });
    const timeout = Number(choices["webhook.timeout_seconds"]);
    const cancel = timers.after(timeout, () => request.destroy());
    underWay.add(request);
    const outcome = new Promise<Outcome>((resolve) => {
      const fail = () => resolve({ status: 0, retryAfterSeconds: 0 });
      request.once("response", (response: IncomingMessage) => {
        const { statusCode: status = 0, headers: answered } = response;
        const retryAfterSeconds = Number(answered["retry-after"]) || 0;
        response.once("end", () => resolve({ status, retryAfterSeconds })).once("error", fail);
        response.resume();
      });
      request.once("error", fail).once("close", fail).end(body);
    });
    return outcome.finally(() => {
      cancel();
      underWay.delete(request);
    });
  }

  function signature(id: string, body: string): Record<string, string> {
    if (choices["webhook.signature"] === "none") return {};
    const hmac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"));
    if (deviates("webhook.hex_signature"))
      return { "x-signature": hmac.update(body).digest("hex") };
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signed = hmac.update(`${id}.${timestamp}.${body}`).digest("base64");
    return {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signed}`,
    };
  }

  function stop(): void {
    for (const request of underWay) request.destroy();
  }

  return { send, stop };
}
