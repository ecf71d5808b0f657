import { say } from "../../text/message.ts";
import { t } from "../state/language.ts";
import type { TabResponse, TabWebhook } from "../../wire/tab-messages.ts";

/** What the simulated merchant does at first. */
const FIRST_SOURCE =
  (): string => `// ${t(say`The shop that gets every webhook. Change it to see retries and verdicts.`)}
async function onWebhook({ url, headers, body, isValid }) {
  return { status: isValid ? 200 : 401 };
}
`;

/** Passes the webhooks on to the source's function, in a worker of its own. */
const AROUND = `
onmessage = async ({ data: { number, webhook } }) => {
  try {
    const { status = 200, headers = {}, body = "" } = (await onWebhook(webhook)) ?? {};
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw new Error("The shop responded with no HTTP status: " + status);
    postMessage({ number, response: { status, headers, body: String(body) } });
  } catch (error) {
    postMessage({ number, reason: String(error) });
  }
};`;

/** How long it may take. */
const PATIENCE_MS = 10_000;

interface Waiting {
  readonly resolve: (response: TabResponse) => void;
  readonly reject: (reason: Error) => void;
}

/** The simulated merchant: a program that the reader can change. */
export class TabMerchant {
  source = FIRST_SOURCE();
  #worker: Worker | undefined;
  #waiting = new Map<number, Waiting>();
  #last = 0;

  /** Runs another source from now on. */
  use(source: string): void {
    this.source = source;
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new Error("the shop did not respond"));
    this.#waiting.clear();
  }

  receive(webhook: TabWebhook): Promise<TabResponse> {
    const worker = (this.#worker ??= this.#start());
    const number = ++this.#last;
    return new Promise<TabResponse>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      setTimeout(() => {
        // It may be in a loop: the next webhook gets a new one.
        if (this.#waiting.has(number)) this.use(this.source);
      }, PATIENCE_MS);
      worker.postMessage({ number, webhook });
    });
  }

  #start(): Worker {
    const text = new Blob([this.source, AROUND], { type: "text/javascript" });
    const worker = new Worker(URL.createObjectURL(text));
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
      const waiting = this.#waiting.get(data.number);
      this.#waiting.delete(data.number);
      if (data.response) waiting?.resolve(data.response);
      else waiting?.reject(new Error(data.reason));
    });
    worker.addEventListener("error", ({ message }) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(message));
      this.#waiting.clear();
    });
    return worker;
  }
}

interface Reply {
  readonly number: number;
  readonly response?: TabResponse;
  readonly reason?: string;
}
