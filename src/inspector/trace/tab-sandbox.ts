import type {
  FromWorker,
  TabCall,
  TabResponse,
  TabStart,
  TabWebhook,
  ToWorker,
} from "../../wire/tab-messages.ts";

/** The part of a `Worker` that is used. */
export interface WorkerPort {
  postMessage(message: ToWorker): void;
  addEventListener(type: "message", listener: (event: { readonly data: FromWorker }) => void): void;
}

/** A call whose response has not ended. */
interface Open {
  answered(status: number, headers: readonly (readonly [string, string])[]): void;
  chunk(bytes: Uint8Array<ArrayBuffer>): void;
  end(): void;
  failed(reason: string): void;
}

/** A sandbox in a worker, as the page calls it. */
export class TabSandbox {
  readonly #worker: WorkerPort;
  readonly #receive: (webhook: TabWebhook) => Promise<TabResponse>;
  readonly #open = new Map<number, Open>();
  #last = 0;
  #started: { resolve: () => void; reject: (reason: Error) => void } | undefined;

  /** @param receive responds to every webhook, as the merchant; it rejects if the merchant does not respond */
  constructor(worker: WorkerPort, receive: (webhook: TabWebhook) => Promise<TabResponse>) {
    this.#worker = worker;
    this.#receive = receive;
    worker.addEventListener("message", ({ data }) => this.#read(data));
  }

  /** Starts a sandbox in place of the one before. */
  start(start: TabStart): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#started = { resolve, reject };
      this.#worker.postMessage({ type: "start", start });
    });
  }

  /** As the global `fetch`, for paths of the sandbox. */
  fetch(
    path: string,
    { method = "GET", headers, body, signal }: RequestInit = {},
  ): Promise<Response> {
    const number = ++this.#last;
    const call = { path, method, headers: [...new Headers(headers)], body: bodyOf(body) };
    const abort = (): void => this.#worker.postMessage({ type: "abort", number });
    return new Promise((resolve, reject) => {
      let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
      const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (created) => void (controller = created),
        cancel: abort,
      });
      this.#open.set(number, {
        answered: (status, received) => {
          const given = received.map(([name, value]): [string, string] => [name, value]);
          const own = WITHOUT_BODY.has(status) ? null : stream;
          resolve(new Response(own, { status, headers: given }));
        },
        chunk: (bytes) => controller.enqueue(bytes),
        end: () => controller.close(),
        failed: (reason) => {
          const error = new TypeError(reason);
          controller.error(error);
          reject(error);
        },
      });
      signal?.addEventListener("abort", () => {
        abort();
        reject(signal.reason as Error);
      });
      this.#worker.postMessage({ type: "call", number, call });
    });
  }

  #read(message: FromWorker): void {
    if (message.type === "ready") return this.#started?.resolve();
    if (message.type === "not_started") return this.#started?.reject(new Error(message.reason));
    if (message.type === "webhook") return void this.#respond(message.number, message.webhook);
    const call = this.#open.get(message.number);
    if (message.type === "answered") return call?.answered(message.status, message.headers);
    if (message.type === "chunk") return call?.chunk(message.bytes);
    this.#open.delete(message.number);
    if (message.type === "end") call?.end();
    else call?.failed(message.reason);
  }

  async #respond(number: number, webhook: TabWebhook): Promise<void> {
    try {
      const response = await this.#receive(webhook);
      this.#worker.postMessage({ type: "responded", number, response });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#worker.postMessage({ type: "not_responded", number, reason });
    }
  }
}

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function bodyOf(body: RequestInit["body"]): TabCall["body"] {
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : null;
}
