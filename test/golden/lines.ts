import { createHash } from "node:crypto";
import { type Merchant, type Received, startMerchant, verified } from "../support/merchant.ts";
import { type Answer, type Call, type Json, send } from "../support/gateway.ts";
import type { AssumptionChanges } from "../../src/core/assumptions/table.ts";
import {
  compile,
  differencesOf,
  type Document,
  documentFor,
  type Schemas,
} from "../http/openapi.ts";
import { requests } from "../support/fixtures.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/server/start.ts";

/** The time at which every sandbox of the golden run stands. */
const NOW = "2026-01-02T12:00:00.000Z";

/** Headers of the connection, and one that holds real time. */
const LEFT_OUT = /^(date|connection|keep-alive|content-length|transfer-encoding|retry-after)$/;
/** The headers of most responses: a line names only what differs. */
const USUAL = { "content-type": "application/json", "x-content-type-options": "nosniff" };
/** Bodies of other types, and longer ones, stand as hashes. */
const MAX_BODY = 20_000;

export type Noun = "payins" | "payouts";

/** A sandbox and its merchant: what they answer and receive becomes lines. */
export class World implements AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly merchant: Merchant;
  readonly lines: string[] = [];
  /** The calls whose responses are not as the OpenAPI document describes them. */
  readonly undescribed: unknown[] = [];
  readonly #described: readonly [Document, Schemas];
  #keys = 0;
  #seen = 0;
  readonly #startedMs = Date.now();

  private constructor(sandbox: Sandbox, merchant: Merchant, described: [Document, Schemas]) {
    this.#described = described;
    this.sandbox = sandbox;
    this.merchant = merchant;
  }

  static async start(options: SandboxOptions = {}): Promise<World> {
    const merchant = await startMerchant();
    const sandbox = await startSandbox({ seed: "42", clock: "frozen", now: NOW, ...options });
    return new World(sandbox, merchant, describedBy(options.assumptions));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox.close();
    await this.merchant.close();
  }

  /** Calls without a line: what a later line depends on. */
  quiet(request: Call): Promise<Answer> {
    const headers = { ...this.#identification(request), ...request.headers };
    return send(this.sandbox, { ...request, headers });
  }

  /** Calls, and writes the line: what was sent, status, headers, body. */
  async call(request: Call, name = this.#describe(request)): Promise<Answer> {
    const answer = await this.quiet(request).catch(() => undefined);
    this.lines.push(`${name}: ${answer ? this.#toText(answer) : "no response"}`);
    // A fault that patches a response makes one that is not described.
    const isAsked = answer && !name.includes("patch_body");
    const differences = isAsked ? differencesOf(...this.#described, request, answer) : [];
    if (differences.length > 0) this.undescribed.push({ name, differences, text: answer?.text });
    return answer ?? { status: 0, headers: {}, text: "", json: {} };
  }

  /** Creates a payin or payout: the fixture's, with other members and headers. @returns its id */
  async create(noun: Noun, members: Json = {}, headers: Call["headers"] = {}): Promise<string> {
    const body = { ...this.sample(noun), ...members };
    const answer = await this.call(
      { path: `/v1/${noun}`, headers, body },
      `POST /v1/${noun} ${JSON.stringify({ ...members, ...headers })}`,
    );
    return String((answer.json as Json)["id"]);
  }

  /** The fixture's request, whose webhooks the merchant receives. */
  sample(noun: Noun): Json {
    const fixture = requests.get(noun === "payins" ? "payin" : "payout-cpf");
    return { ...fixture, webhook_url: this.merchant.url };
  }

  simulate(noun: Noun, id: string, status = "completed"): Promise<Answer> {
    return this.call({ path: `/v1/${noun}/simulations`, body: { transaction_id: id, status } });
  }

  /** Calls a control route as the integration `sandbox`: `POST /clock/advance`. */
  control(route: string, body?: unknown, headers: Call["headers"] = {}): Promise<Answer> {
    const [method = "", path = ""] = route.split(" ");
    return this.call({ method, path: `/_sandbox${path}`, headers, body });
  }

  advance(seconds: number): Promise<Answer> {
    return this.quiet({ path: "/_sandbox/clock/advance", body: { seconds } });
  }

  /** Writes the first message of the event stream. */
  async firstEvent(): Promise<void> {
    const headers = { "last-event-id": "0" };
    const response = await this.sandbox.fetch("/_sandbox/events", { headers });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    await reader?.cancel();
    const text = new TextDecoder().decode(first?.value);
    this.lines.push(this.#steady(`GET /_sandbox/events after 0: ${text}`));
  }

  /** Waits for attempts in flight. @returns the webhooks that arrived since the last call */
  async arrived(): Promise<Received[]> {
    await this.quiet({ path: "/_sandbox/settle" });
    const arrived = this.merchant.received.slice(this.#seen);
    this.#seen += arrived.length;
    return arrived;
  }

  /** Writes a line for each webhook that arrived since the last call. */
  async webhooks(): Promise<void> {
    // Webhooks to different addresses arrive in any order.
    for (const received of (await this.arrived()).toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
      const { path, headers, body } = received;
      const line = `  webhook to ${path}, ${headers["webhook-id"]}, ${this.#signatureOf(received)}: ${body}`;
      this.lines.push(this.#steady(line));
    }
  }

  #signatureOf(received: Received): string {
    if (received.headers["webhook-signature"] === undefined) return "not signed";
    try {
      verified(received, this.sandbox.secret);
      return "verified";
    } catch {
      return "refused by the verifier";
    }
  }

  /** Keys count up: the order of calls does not depend on drawn ones. */
  #identification({ path }: Call): Call["headers"] {
    return path.startsWith("/_sandbox") ? {} : { "x-idempotency-key": `key-${(this.#keys += 1)}` };
  }

  #describe({ method = "POST", path, headers = {}, body }: Call): string {
    const sent = [headers, body].filter((part) => part && Object.keys(part).length > 0);
    const parts = sent.map((part) => (typeof part === "string" ? part : JSON.stringify(part)));
    return this.#steady([method, path, ...parts].join(" "));
  }

  #toText({ status, headers, text }: Answer): string {
    const missing = Object.keys(USUAL).flatMap((name) => (name in headers ? [] : [`no ${name}`]));
    const shown = Object.entries(headers)
      .filter(
        ([name, value]) => !LEFT_OUT.test(name) && USUAL[name as keyof typeof USUAL] !== value,
      )
      .map(([name, value]) => `${name}: ${value}`);
    const differing = [...shown.toSorted(), ...missing].join(", ");
    const isJson = /json|event-stream/.test(headers["content-type"] ?? "");
    const body = this.#steady(text);
    const shownBody = isJson && body.length <= MAX_BODY ? body : body && hashOf(body);
    const parts = [differing && `(${this.#steady(differing)})`, shownBody];
    return [status, ...parts.filter((part) => part !== "")].join(" ");
  }

  /** Replaces what differs from run to run: ports, real time, signatures; and images by hashes. */
  #steady(text: string): string {
    return text
      .replaceAll(`:${this.sandbox.port}`, ":SANDBOX")
      .replaceAll(`:${this.merchant.port}`, ":MERCHANT")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => {
        const ms = Date.parse(time);
        return ms >= this.#startedMs - 1000 && ms <= Date.now() + 1000 ? "REAL TIME" : time;
      })
      .replaceAll(/"duration_ms":[\d.]+/g, '"duration_ms":REAL')
      .replaceAll(/"ahead_seconds":-?\d+/g, '"ahead_seconds":REAL')
      .replaceAll(/"now":"[^"]+","mode":"real"/g, '"now":"REAL TIME","mode":"real"')
      .replaceAll(/"stream":"\w+"/g, '"stream":"DRAWN"')
      .replaceAll(/"webhook-timestamp":"\d+"/g, '"webhook-timestamp":"REAL"')
      .replaceAll(/"webhook-signature":"[^"]*"/g, '"webhook-signature":"REAL"')
      .replaceAll(/iVBORw0KGgo[\w+/=]+/g, (png) => `PNG ${hashOf(png)}`);
  }
}

const documents = new Map<string, [Document, Schemas]>();

function describedBy(choices: AssumptionChanges = {}): [Document, Schemas] {
  const key = JSON.stringify(choices);
  const known = documents.get(key);
  if (known) return known;
  const document = documentFor(choices);
  const described: [Document, Schemas] = [document, compile(document)];
  documents.set(key, described);
  return described;
}

function hashOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
