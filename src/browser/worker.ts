// What runs in the worker of a tab: a sandbox, and the messages by which the page calls it.
import { connectMerchant, type SentWebhook } from "./instead/connection.ts";
import { startInTab, type StartedInTab } from "./start-in-tab.ts";
import { STANDARD_TOLERANCE_MS, verifyWebhook } from "../webhook-diagnosis/verify.ts";
import { wallNowMs } from "../platform/real-time.ts";
import type { FromWorker, TabCall, TabResponse, TabStart, ToWorker } from "../wire/tab-messages.ts";

/** The page, as a worker sees it. */
const page = globalThis as unknown as {
  addEventListener(type: "message", listener: (event: { readonly data: ToWorker }) => void): void;
  postMessage(message: FromWorker): void;
};

/** A webhook that the merchant has not responded to. */
interface Waiting {
  resolve(response: TabResponse): void;
  reject(reason: Error): void;
}

let started: StartedInTab | undefined;
const calls = new Map<number, AbortController>();
const webhooks = new Map<number, Waiting>();
let lastWebhook = 0;

connectMerchant(
  (webhook) =>
    new Promise((resolve, reject) => {
      const number = ++lastWebhook;
      webhooks.set(number, { resolve, reject });
      page.postMessage({
        type: "webhook",
        number,
        webhook: { ...webhook, isValid: isValid(webhook) },
      });
    }),
);

page.addEventListener("message", ({ data }) => {
  if (data.type === "start") void start(data.start);
  else if (data.type === "call") void call(data.number, data.call);
  else if (data.type === "abort") calls.get(data.number)?.abort();
  else {
    const waiting = webhooks.get(data.number);
    webhooks.delete(data.number);
    if (data.type === "responded") waiting?.resolve(data.response);
    else waiting?.reject(new Error(data.reason));
  }
});

function isValid({ headers, body }: SentWebhook): boolean {
  const secret = started?.sandbox.secret ?? "";
  return verifyWebhook(
    { headers, body: Buffer.from(body) },
    { secret, nowMs: wallNowMs(), toleranceMs: STANDARD_TOLERANCE_MS },
  ).isValid;
}

async function start(given: TabStart): Promise<void> {
  try {
    await started?.sandbox.close();
    started = await startInTab(given);
    page.postMessage({ type: "ready", secret: started.sandbox.secret });
  } catch (error) {
    page.postMessage({ type: "not_started", reason: String(error) });
  }
}

async function call(number: number, { path, method, headers, body }: TabCall): Promise<void> {
  const aborting = new AbortController();
  calls.set(number, aborting);
  try {
    if (!started) throw new Error("The sandbox has not started.");
    const response = await started.sandbox.fetch(path, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      body,
      signal: aborting.signal,
    });
    const { status } = response;
    page.postMessage({ type: "answered", number, status, headers: [...response.headers] });
    const reader = response.body?.getReader();
    for (;;) {
      const { value } = (await reader?.read()) ?? {};
      if (!value) break;
      page.postMessage({ type: "chunk", number, bytes: value as Uint8Array<ArrayBuffer> });
    }
    page.postMessage({ type: "end", number });
  } catch (error) {
    page.postMessage({ type: "failed", number, reason: String(error) });
  } finally {
    calls.delete(number);
  }
}
