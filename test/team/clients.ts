import { randomUUID } from "node:crypto";
import http from "node:http";
import { pause } from "../../src/platform/pause.ts";
import { BUYER, headersOf } from "../support/calls.ts";

const WORKERS = 16;
/** How many of the newest records are read and completed. */
const RECENT = 150;
/** Between two calls of a worker. */
const PAUSE_MS = 10;
/** A call without a response is given up: its process may be stopped. */
const TIMEOUT_MS = 4000;

/** A response, or undefined if the outcome is unknown or the call was refused. */
type Outcome = { readonly status: number; readonly body: string } | undefined;

/** Clients that create, complete and read records at whichever process leads, and note what was confirmed. */
export class Clients {
  readonly #urls: () => readonly string[];
  readonly #webhookUrl: string;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: WORKERS });
  readonly #workers: Promise<void>[] = [];
  readonly #recent: string[] = [];
  /** Which key each confirmed record was created with, and which record each key confirmed. */
  readonly created = new Map<string, string>();
  readonly #idOf = new Map<string, string>();
  readonly completed = new Set<string>();
  /** Responses that contradict what was confirmed before. */
  readonly wrong: string[] = [];
  calls = 0;
  #isStopped = false;
  #leader = "";
  #rest: Promise<void> = Promise.resolve();
  #working = 0;

  /** @param urls of the processes that may lead */
  constructor(urls: () => readonly string[], webhookUrl: string) {
    this.#urls = urls;
    this.#webhookUrl = webhookUrl;
  }

  start(): void {
    for (let worker = 0; worker < WORKERS; worker++) this.#workers.push(this.#work());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#workers);
    this.#agent.destroy();
  }

  /** Resolves when so many more changes were confirmed. */
  async progress(count: number): Promise<void> {
    const confirmed = (): number => this.created.size + this.completed.size;
    const target = confirmed() + count;
    while (confirmed() < target) await pause(PAUSE_MS);
  }

  /** Runs work while no worker calls. @param work gets a function that creates a payin, and repeats the call until it is confirmed */
  async rest(work: (create: (key: string) => Promise<void>) => Promise<void>): Promise<void> {
    let end: () => void = () => undefined;
    this.#rest = new Promise((resolve) => {
      end = resolve;
    });
    while (this.#working > 0) await pause(PAUSE_MS);
    await work((key) => this.#create(key)).finally(end);
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      await this.#rest;
      this.#working++;
      const draw = Math.random();
      const recent = this.#recent[Math.floor(Math.random() * this.#recent.length)];
      if (draw < 0.3 || recent === undefined) await this.#create(randomUUID());
      else if (draw < 0.4) await this.#create(this.created.get(recent) ?? "");
      else if (draw < 0.6) await this.#complete(recent);
      else await this.#read(recent);
      this.#working--;
      await pause(PAUSE_MS);
    }
  }

  async #create(key: string): Promise<void> {
    const body = { ...BUYER, description: key, webhook_url: this.#webhookUrl };
    for (;;) {
      const outcome = await this.#call("/v1/payins", { body, key });
      if (outcome?.status === 200) {
        const { id } = JSON.parse(outcome.body) as { id: string };
        const known = this.#idOf.get(key);
        if ((known ?? id) !== id || (this.created.get(id) ?? key) !== key)
          this.wrong.push(`The key ${key} created ${known} and ${id}.`);
        if (known !== undefined) return;
        this.#idOf.set(key, id);
        this.created.set(id, key);
        this.#recent.push(id);
        if (this.#recent.length > RECENT) this.#recent.shift();
        return;
      }
      if (outcome && outcome.status < 500) this.wrong.push(outcome.body);
      if (this.#isStopped) return;
      await pause(PAUSE_MS);
    }
  }

  async #complete(id: string): Promise<void> {
    const body = { transaction_id: id, status: "completed" };
    const outcome = await this.#call("/v1/payins/simulations", { body });
    // It is refused if it is completed already: an earlier call, of unknown outcome, did it.
    if (outcome?.status === 200 || outcome?.status === 422) this.completed.add(id);
  }

  /** Reads at any process: one that led before must not answer with what is out of date. */
  async #read(id: string): Promise<void> {
    const urls = this.#urls();
    const isCompleted = this.completed.has(id);
    const url = urls[Math.floor(Math.random() * urls.length)] ?? "";
    const outcome = await this.#send(new URL(`/_sandbox/payins/${id}`, url), {});
    if (!outcome || outcome.status >= 500) return;
    const isRight =
      outcome.status === 200 && (!isCompleted || outcome.body.includes('"status":"completed"'));
    if (!isRight) this.wrong.push(`${url} answered for ${id}: ${outcome.body}`);
  }

  async #call(path: string, given: { body: object; key?: string }): Promise<Outcome> {
    const urls = this.#urls();
    if (!urls.includes(this.#leader)) this.#leader = urls[0] ?? "";
    const url = this.#leader;
    const outcome = await this.#send(new URL(path, url), given);
    const isRefused = !outcome || outcome.status >= 500;
    if (isRefused && this.#leader === url)
      this.#leader = urls[Math.floor(Math.random() * urls.length)] ?? "";
    return outcome;
  }

  #send(url: URL, { body, key }: { body?: object; key?: string }): Promise<Outcome> {
    this.calls++;
    const headers = {
      ...(body && { ...headersOf("team"), "content-type": "application/json" }),
      ...(key !== undefined && { "x-idempotency-key": key }),
    };
    const method = body ? "POST" : "GET";
    return new Promise((resolve) => {
      const request = http.request(
        url,
        { method, headers, agent: this.#agent, timeout: TIMEOUT_MS },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
          response.on("error", () => resolve(undefined));
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
        },
      );
      request.on("timeout", () => request.destroy());
      request.on("error", () => resolve(undefined));
      request.end(body && JSON.stringify(body));
    });
  }
}
