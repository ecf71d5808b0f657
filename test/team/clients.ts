import { randomUUID } from "node:crypto";
import http from "node:http";
import { pause } from "../../src/platform/pause.ts";
import { isLinearizable, type Operation } from "./linearizability.ts";
import { KEY, RECORD, type RecordInput, type RecordState } from "./registers.ts";

const WORKERS = 32;
const TOKENS = 20;
/** How many of the newest records are read and completed. */
const RECENT = 150;
/** The share of reads that go to any process. */
const READ_ANYWHERE = 0.3;
/** Between two calls of a worker: enough calls, and not too many to check. */
const PAUSE_MS = 10;
/** A call without a response is given up: its process may be stopped. */
const TIMEOUT_MS = 4000;

/** The response to a call; `refused` if a standby refused it, `unknown` if it may have taken effect. */
type Outcome = { readonly status: number; readonly body: string } | "refused" | "unknown";

/** Clients that create, repeat, complete and read records, at whichever process leads. All that they are told is noted. */
export class Clients {
  readonly #urls: () => readonly string[];
  readonly #webhookUrl: string;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: WORKERS });
  readonly #workers: Promise<void>[] = [];
  #isStopped = false;
  #leader = "";
  /** What was seen of each key, and of each record. */
  readonly keys = new Map<string, Operation<"create", string>[]>();
  readonly records = new Map<string, Operation<RecordInput, RecordState>[]>();
  /** The records of confirmed creations, with their keys; and the confirmed completions. */
  readonly created = new Map<string, string>();
  readonly completed = new Set<string>();
  readonly #recent: string[] = [];
  /** Confirmed changes. */
  confirmed = 0;
  /** The process that gets no changes, only reads: a change that waits there would hold back its reads too. */
  #avoided = "";
  /** The workers that call. */
  #working = 0;
  #rest: Promise<void> = Promise.resolve();
  readonly #changesUnderWay = new Map<string, number>();

  /** @param urls of the processes that may lead */
  constructor(urls: () => readonly string[], webhookUrl: string) {
    this.#urls = urls;
    this.#webhookUrl = webhookUrl;
  }

  start(): void {
    for (let worker = 0; worker < WORKERS; worker++) this.#workers.push(this.#work(worker));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#workers);
    this.#agent.destroy();
  }

  /** Resolves when so many more changes were confirmed. */
  async progress(count: number): Promise<void> {
    const target = this.confirmed + count;
    while (this.confirmed < target) await pause(PAUSE_MS);
  }

  /** Runs work while no worker calls. @param work gets a function that creates a payin, and repeats the call until it is confirmed */
  async rest(work: (create: (key: string) => Promise<void>) => Promise<void>): Promise<void> {
    let end: () => void = () => undefined;
    this.#rest = new Promise((resolve) => {
      end = resolve;
    });
    while (this.#working > 0) await pause(PAUSE_MS);
    await work((key) => this.#create("team-0", key)).finally(end);
  }

  /** Sends no more changes to a process. Resolves when it has none under way. */
  async avoid(url: string): Promise<void> {
    this.#avoided = url;
    while ((this.#changesUnderWay.get(url) ?? 0) > 0) await pause(PAUSE_MS);
  }

  /** The keys and records whose history no register can have. */
  violations(): readonly string[] {
    const of = <State extends string, Input, Output>(
      histories: ReadonlyMap<string, readonly Operation<Input, Output>[]>,
      register: Parameters<typeof isLinearizable<State, Input, Output>>[1],
    ): string[] =>
      [...histories]
        .filter(([, history]) => !isLinearizable(history, register))
        .map(([name, history]) => `${name}: ${JSON.stringify(history)}`);
    return [...of(this.keys, KEY), ...of(this.records, RECORD)];
  }

  /** How many operations were noted. */
  get operations(): number {
    const all = [...this.keys.values(), ...this.records.values()];
    return all.reduce((sum, history) => sum + history.length, 0);
  }

  async #work(worker: number): Promise<void> {
    const token = `team-${worker % TOKENS}`;
    let lastKey = "";
    while (!this.#isStopped) {
      await this.#rest;
      this.#working++;
      const draw = Math.random();
      const recent = this.#recent[Math.floor(Math.random() * this.#recent.length)];
      if (draw < 0.3 || recent === undefined) {
        lastKey = randomUUID();
        await this.#create(token, lastKey);
      } else if (draw < 0.4 && lastKey !== "") await this.#create(token, lastKey);
      else if (draw < 0.6) await this.#complete(token, recent);
      else await this.#read(recent);
      this.#working--;
      await pause(PAUSE_MS);
    }
  }

  async #create(token: string, key: string): Promise<void> {
    for (;;) {
      const startMs = performance.now();
      const outcome = await this.#call("POST", "/v1/payins", {
        token,
        key,
        body: { ...PAYIN, description: key, webhook_url: this.#webhookUrl },
      });
      const id =
        typeof outcome === "object" ? (JSON.parse(outcome.body) as { id: string }).id : undefined;
      if (outcome !== "refused") note(this.keys, key, { startMs, input: "create", output: id });
      if (id === undefined) {
        if (this.#isStopped) return;
        await pause(PAUSE_MS);
        continue;
      }
      const isNew = !this.created.has(id);
      note(this.records, id, { startMs, input: "create", output: "waiting" });
      this.created.set(id, key);
      if (!isNew) return;
      this.confirmed++;
      this.#recent.push(id);
      if (this.#recent.length > RECENT) this.#recent.shift();
      return;
    }
  }

  async #complete(token: string, id: string): Promise<void> {
    const startMs = performance.now();
    const outcome = await this.#call("POST", "/v1/payins/simulations", {
      token: this.#tokenOf(id) ?? token,
      body: { transaction_id: id, status: "completed" },
    });
    if (outcome === "refused") return;
    if (outcome === "unknown")
      note(this.records, id, { startMs, input: "complete", output: undefined });
    else if (outcome.status === 200) {
      note(this.records, id, { startMs, input: "complete", output: "completed" });
      this.completed.add(id);
      this.confirmed++;
    }
    // It is completed already.
    else note(this.records, id, { startMs, input: "read", output: "completed" });
  }

  async #read(id: string): Promise<void> {
    const startMs = performance.now();
    // Now and then at any process: one that led before must not answer any more.
    const urls = this.#urls();
    const anywhere = urls[Math.floor((Math.random() * urls.length) / READ_ANYWHERE)];
    const path = `/_sandbox/payins/${id}`;
    const outcome = await (anywhere === undefined
      ? this.#call("GET", path, {})
      : this.#send(new URL(path, anywhere), "GET", { headers: {}, text: undefined }));
    if (typeof outcome === "string") return;
    const output =
      outcome.status === 404
        ? "absent"
        : (JSON.parse(outcome.body) as { status: RecordState }).status;
    note(this.records, id, { startMs, input: "read", output });
  }

  #tokenOf(id: string): string | undefined {
    return this.#tokens.get(id);
  }

  readonly #tokens = new Map<string, string>();

  async #call(
    method: string,
    path: string,
    { token, key, body }: { token?: string; key?: string; body?: object },
  ): Promise<Outcome> {
    const urls = this.#urls().filter((one) => one !== this.#avoided);
    if (!urls.includes(this.#leader)) this.#leader = urls[0] ?? "";
    const url = this.#leader;
    if (url === "") return "refused";
    const count = (difference: number): void => {
      const underWay = this.#changesUnderWay.get(url) ?? 0;
      if (body) this.#changesUnderWay.set(url, underWay + difference);
    };
    count(1);
    const outcome = await this.#send(new URL(path, url), method, {
      headers: {
        ...(token !== undefined && { ...IDENTITY, "x-api-token": token }),
        ...(key !== undefined && { "x-idempotency-key": key }),
        ...(body && { "content-type": "application/json" }),
      },
      text: body && JSON.stringify(body),
    });
    count(-1);
    if (typeof outcome === "string") {
      if (this.#leader === url) this.#leader = urls[Math.floor(Math.random() * urls.length)] ?? "";
    } else if (path === "/v1/payins" && token !== undefined)
      this.#tokens.set((JSON.parse(outcome.body) as { id: string }).id, token);
    return outcome;
  }

  #send(
    url: URL,
    method: string,
    { headers, text }: { headers: Record<string, string>; text: string | undefined },
  ): Promise<Outcome> {
    return new Promise((resolve) => {
      const request = http.request(
        url,
        { method, headers, agent: this.#agent, timeout: TIMEOUT_MS },
        (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (piece: string) => (body += piece));
          response.on("error", () => resolve("unknown"));
          response.on("end", () => {
            const status = response.statusCode ?? 0;
            if (status < 500) resolve({ status, body });
            // Only a standby, which does nothing, says when to try again.
            else resolve(response.headers["retry-after"] === undefined ? "unknown" : "refused");
          });
        },
      );
      request.on("timeout", () => request.destroy());
      request.on("error", ({ code }: NodeJS.ErrnoException) =>
        resolve(code === "ECONNREFUSED" ? "refused" : "unknown"),
      );
      request.end(text);
    });
  }
}

const IDENTITY = { "x-provider-id": "4182", "x-provider": "Loja", "x-country-code": "BR" };
const PAYIN = {
  value: 10,
  buyer_cpf: "52998224725",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
  generate_qrcode: false,
  expiration: 86_400,
};

/** Notes an operation that has just ended. */
function note<Input, Output>(
  histories: Map<string, Operation<Input, Output>[]>,
  name: string,
  { startMs, input, output }: { startMs: number; input: Input; output: Output | undefined },
): void {
  const endMs = output === undefined ? Number.POSITIVE_INFINITY : performance.now();
  const history = histories.get(name) ?? [];
  history.push({ startMs, endMs, input, output });
  histories.set(name, history);
}
