import {
  type AssumptionChanges,
  type AssumptionName,
  isAssumptionName,
  STANDARD_ASSUMPTIONS,
} from "../core/assumptions/table.ts";
import { isWebhookUrl } from "../core/records/webhook-url.ts";
import { fillRoute, type Page } from "../wire/route-key.ts";
import type { WireDelivery } from "../core/state/wire.ts";
import { sinkUrl } from "../wire/sample.ts";
import { type Exchange, idIn, type Response, toJson } from "./exchange.ts";

/** A sandbox of its own with a frozen clock, started with `explain`. */
export interface ModelSandbox {
  readonly url: string;
  fetch(
    path: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<{
    readonly status: number;
    readonly headers: Iterable<[string, string]>;
    text(): Promise<string>;
  }>;
}

/** What the sandbox does where another gateway did something. */
export interface Predicted {
  readonly response: Response;
  /** The bodies of the webhooks about the transaction that the call created, in order. */
  readonly webhooks: readonly string[];
  /** The assumptions that the response depends on. */
  readonly dependsOn: readonly AssumptionName[];
}

interface Known {
  readonly choices: AssumptionChanges;
  readonly names: readonly AssumptionName[];
  readonly predicted: readonly Predicted[];
}

/** Repeats calls in a sandbox, with the choices and at the times that are wanted. */
export class Model {
  readonly #sandbox: ModelSandbox;
  /** Replays take turns: they share the clock and the choices. */
  #last: Promise<unknown> = Promise.resolve();

  /** The responses of calls, with the choices that they depend on. */
  readonly #known = new WeakMap<readonly Exchange[], Known[]>();

  constructor(sandbox: ModelSandbox) {
    this.#sandbox = sandbox;
  }

  /**
   * What some calls get under other choices. Repeats no calls that would get the same.
   * @param untilMs until when webhooks are waited for; the same for the same calls
   */
  async responses(
    calls: readonly Exchange[],
    choices: AssumptionChanges,
    untilMs = 0,
  ): Promise<readonly Predicted[]> {
    const known = this.#known.get(calls) ?? [];
    this.#known.set(calls, known);
    const found = known.find(({ choices: then, names }) =>
      names.every((name) => choiceOf(name, then) === choiceOf(name, choices)),
    );
    if (found) return found.predicted;
    const predicted = await this.replay(calls, choices, untilMs);
    const names = new Set([...predicted.flatMap(({ dependsOn }) => dependsOn), ...LATER]);
    known.push({ choices, names: [...names], predicted });
    return predicted;
  }

  /**
   * Makes the calls of a recording again. Ids in them become those of the sandbox.
   * @param choices all that differ from the ones that the sandbox was started with
   * @param untilMs when the recording ended: webhooks can come after the last call
   */
  replay(
    calls: readonly Exchange[],
    choices: AssumptionChanges,
    untilMs = 0,
  ): Promise<Predicted[]> {
    const replayed = this.#last.then(() => this.#replay(calls, choices, untilMs));
    this.#last = replayed.catch(() => undefined);
    return replayed;
  }

  async #replay(
    calls: readonly Exchange[],
    choices: AssumptionChanges,
    untilMs: number,
  ): Promise<Predicted[]> {
    await this.#control("POST /reset");
    // Real time drives the rate limit, and these calls are faster than those of the recording.
    await this.#control("PATCH /assumptions", { ...choices, "rate_limit.per_minute": 0 });
    const names = new Map<string, string>();
    const found: (Omit<Predicted, "webhooks"> & { readonly id: string | undefined })[] = [];
    let nowMs = calls[0]?.atMs ?? untilMs;
    const advance = async (toMs: number): Promise<void> => {
      if (toMs > nowMs)
        await this.#control("POST /clock/advance", { seconds: (toMs - nowMs) / 1000 });
      nowMs = Math.max(nowMs, toMs);
    };
    for (const call of calls) {
      await advance(call.atMs);
      const { status, headers, body } = await this.#send(call, names);
      const id = idIn(body);
      const recordedId = idIn(call.response.body);
      if (id !== undefined && recordedId !== undefined) names.set(recordedId, id);
      const dependsOn = (headers["x-sandbox-assumption"] ?? "")
        .split(", ")
        .map((pair) => pair.replace(/=.*/, ""))
        .filter(isAssumptionName);
      found.push({ response: { status, headers, body }, dependsOn, id });
    }
    await advance(untilMs);
    const deliveries = await this.#deliveries();
    return found.map(({ id, ...rest }, index) => ({
      ...rest,
      webhooks: deliveries
        .filter(
          (one) => one.transaction_id === id && found.findIndex((each) => each.id === id) === index,
        )
        .map(({ body }) => body),
    }));
  }

  #send({ method, path, headers, body }: Exchange, names: Map<string, string>): Promise<Response> {
    let text = replaceWebhookUrl(body, (url) => {
      if (!names.has(url)) names.set(url, `${sinkUrl(this.#sandbox.url)}${names.size}`);
      return names.get(url) ?? url;
    });
    for (const [recorded, own] of names) text = text.replaceAll(`"${recorded}"`, `"${own}"`);
    return this.#call(method, path.replace(/^.*(?=\/v\d+\/)/, ""), text, headers);
  }

  async #call(
    method: string,
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const response = await this.#sandbox.fetch(path, {
      method,
      headers,
      // A GET can have a body on the wire, but not in `fetch`.
      ...(body !== "" && method !== "GET" && { body }),
    });
    const names = Object.fromEntries(response.headers);
    return { status: response.status, headers: names, body: await response.text() };
  }

  async #control<Body>(key: string, values: Readonly<Record<string, unknown>> = {}): Promise<Body> {
    const { method, path, body } = fillRoute(key, values);
    const text = body ? JSON.stringify(body) : "";
    const headers = { ...(body && { "content-type": "application/json" }) };
    const response = await this.#call(method, path, text, headers);
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.body}`);
    return toJson(response.body) as Body;
  }

  async #deliveries(): Promise<WireDelivery[]> {
    const all: WireDelivery[] = [];
    for (let after: string | undefined; ;) {
      const values = { limit: 1000, after };
      const { data, next } = await this.#control<Page<WireDelivery>>("GET /deliveries", values);
      all.push(...data);
      if (next === null) return all;
      after = next;
    }
  }
}

/** What happens later depends on them. */
export const LATER = ["payin.expiry_event", "payout.auto"] as const;

function choiceOf(name: AssumptionName, choices: AssumptionChanges): string {
  return String(choices[name] ?? STANDARD_ASSUMPTIONS[name]);
}

/** Replaces valid webhook addresses in the text of a body. Everything else stays as it is. */
export function replaceWebhookUrl(body: string, toOther: (url: string) => string): string {
  return body.replace(WEBHOOK_URL, (member: string, start: string, address: string) => {
    const url: unknown = toJson(address);
    if (typeof url !== "string" || !isWebhookUrl(url)) return member;
    return start + JSON.stringify(toOther(url));
  });
}

const WEBHOOK_URL = /("webhook_url"\s*:\s*)("(?:[^"\\]|\\.)*")/g;
