import { injectedError, INJECTED_CODES } from "../../core/faults/effects.ts";
import type { WirePayin } from "../../core/records/payin.ts";
import type { WirePayout } from "../../core/records/payout.ts";
import type { WireRequest, WireDelivery } from "../../core/state/wire.ts";
import { fromIso } from "../../wire/timestamp.ts";
import { LANGUAGE_NAMES, translate } from "../../text/languages.ts";
import type { AssumptionRow } from "../../core/assumptions/table.ts";

type WireTransaction = WirePayin | WirePayout;

/** A logged call of the gateway that can be repeated. */
export interface LoggedCall {
  readonly kind: "create" | "simulate" | "webhook";
  readonly method: string;
  readonly path: string;
  readonly atMs: number;
  readonly token: string;
  /** Undefined if the call has none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly status: number;
  /** The error's code. */
  readonly code: string | undefined;
  readonly isLost: boolean;
  /** Whether a fault or a magic value caused the error. */
  readonly isInjected: boolean;
  /** Empty without one. */
  readonly key: string;
  /** The transaction that the call created or simulated. */
  readonly transactionId: string | undefined;
  /** The choices other than the default that the response depended on. */
  readonly assumed: Readonly<Record<string, string>>;
  /** Whether an error is about `webhook_url`. */
  readonly isAboutWebhookUrl: boolean;
}

/** Something that happened: a call, or a creation or a final status that no logged call explains. */
export type Happening = { readonly atMs: number } & (
  | { readonly kind: "called"; readonly call: LoggedCall }
  | { readonly kind: "created" | "settled"; readonly record: WireTransaction }
);

/** What happened, in the order of cause. */
export interface Happenings {
  readonly inOrder: readonly Happening[];
  /** How many transactions have no logged creation. */
  readonly rebuilt: number;
  /** How many logged calls cannot be repeated. */
  readonly unread: number;
  /** How many calls concern transactions that do not exist any more. */
  readonly forgotten: number;
}

/** Joins the records of a history with the calls that caused them, and puts both in order. */
export function readHappenings(history: History): Happenings {
  const { payins, payouts, requests } = history;
  const read = requests.map(readRequest);
  const records: readonly WireTransaction[] = [...payins, ...payouts];
  const ids = new Set(records.map(({ id }) => id));
  const repeatable = read.filter((call) => call !== undefined);
  const calls = repeatable.filter(
    ({ kind, status, isInjected, transactionId: id }) =>
      id === undefined ||
      ids.has(id) ||
      (status !== 200 && (kind !== "simulate" || status !== 422 || isInjected)),
  );
  const creations = new Map<string, number>();
  const simulated = new Set<string>();
  for (const [index, { kind, status, transactionId: id, body }] of calls.entries()) {
    if (status !== 200 || id === undefined) continue;
    if (kind === "create" && !creations.has(id)) creations.set(id, index);
    if (kind === "simulate") simulated.add(`${id} ${String(body?.["status"])}`);
  }
  // Each happening with the position of the logged call after which it comes.
  const placed: { readonly after: number; readonly happening: Happening }[] = [];
  for (const record of records) {
    const createdMs = fromIso(record.created_at) ?? 0;
    let after = creations.get(record.id);
    if (after === undefined) {
      after = calls.findLastIndex(({ atMs }) => atMs < createdMs);
      placed.push({ after, happening: { kind: "created", atMs: createdMs, record } });
    }
    if (record.settled_at === null || simulated.has(`${record.id} ${record.status}`)) continue;
    const atMs = fromIso(record.settled_at) ?? 0;
    // On a frozen clock many things have the same time: a payout then ends after its rivals were refused or canceled.
    const least = after;
    const last = calls.findLastIndex(
      (call, index) =>
        call.atMs < atMs || (index > least && call.atMs === atMs && lostTo(record, call, history)),
    );
    placed.push({
      after: Math.max(after, last),
      happening: { kind: "settled", atMs, record },
    });
  }
  const ofCalls = calls.map((call, index) => ({
    after: index - 0.5,
    happening: { kind: "called" as const, atMs: call.atMs, call },
  }));
  return {
    inOrder: [...ofCalls, ...placed]
      .toSorted(
        (one, other) => one.after - other.after || one.happening.atMs - other.happening.atMs,
      )
      .map(({ happening }) => happening),
    rebuilt: records.length - creations.size,
    unread: read.length - repeatable.length,
    forgotten: repeatable.length - calls.length,
  };
}

/** Whether a payout was refused, or canceled at once, since `record` was in progress to its recipient. */
function lostTo(
  record: WireTransaction,
  { kind, token, body = {}, code, transactionId }: LoggedCall,
  history: History,
): boolean {
  if (!("pix_key" in record) || kind !== "create" || token !== record.integration) return false;
  if (!hasRecipientOf(record, body, history)) return false;
  const rival = history.payouts.find(({ id }) => id === transactionId);
  return code === "NOT_PROCESSABLE" || (rival !== undefined && isCanceledAtOnce(rival));
}

/** Whether a payout was canceled in the moment of its creation. */
export function isCanceledAtOnce(record: WireTransaction): boolean {
  return (
    "pix_key" in record && record.status === "canceled" && record.settled_at === record.created_at
  );
}

/** The part of a history that some transactions and their causes have: the payouts that were rivals, and theirs. */
export function historyOf(ids: ReadonlySet<string>, history: History): History {
  const chosen = new Set<string>();
  const choose = (one: WireTransaction): void => {
    if (chosen.has(one.id)) return;
    chosen.add(one.id);
    if ("pix_key" in one)
      for (const other of history.payouts)
        if (isRivalOf(one, other) && hasRecipientOf(one, other, history)) choose(other);
  };
  const { payins, payouts, deliveries, requests } = history;
  for (const record of [...payins, ...payouts]) if (ids.has(record.id)) choose(record);
  const isChosen = (record: WireTransaction): boolean => chosen.has(record.id);
  const tokens = new Set([...payins, ...payouts].filter(isChosen).map((one) => one.integration));
  const calls = requests.map((request) => ({ request, call: readRequest(request) }));
  const keyOf = ({ token, key }: LoggedCall): string => JSON.stringify([token, key]);
  const isOf = (call: LoggedCall): boolean => chosen.has(call.transactionId ?? "");
  const keys = new Set(
    calls.flatMap(({ call }) => (call?.kind === "create" && isOf(call) ? [keyOf(call)] : [])),
  );
  return {
    ...history,
    payins: payins.filter(isChosen),
    payouts: payouts.filter(isChosen),
    deliveries: deliveries.filter((one) => chosen.has(one.transaction_id)),
    requests: calls.flatMap(({ request, call }) =>
      call &&
      (isOf(call) ||
        (call.kind === "create" && keys.has(keyOf(call))) ||
        (call.kind === "webhook" && call.method === "PUT" && tokens.has(call.token)))
        ? [request]
        : [],
    ),
  };
}

/** Whether a request names the recipient of a payout. */
function hasRecipientOf(
  { integration, receiver_cpf: cpf, pix_key: key }: WirePayout,
  other: Readonly<Record<string, unknown>>,
  { assumptions }: History,
): boolean {
  return assumptions.get(integration)?.["payout.recipient"] === "pix_key"
    ? String(other["pix_key"]).toLowerCase() === key.toLowerCase()
    : other["receiver_cpf"] === cpf;
}

/** Whether `earlier` may have been in progress when `payout` was created. */
function isRivalOf(payout: WirePayout, earlier: WirePayout): boolean {
  return (
    payout !== earlier &&
    payout.integration === earlier.integration &&
    earlier.created_at <= payout.created_at &&
    (earlier.settled_at === null || earlier.settled_at >= payout.created_at)
  );
}

const ROUTES: readonly (readonly [RegExp, LoggedCall["kind"]])[] = [
  [/^POST \/v[12]\/payins$|^POST \/v1\/payouts$/, "create"],
  [/^POST \/v1\/pay(?:in|out)s\/simulations$/, "simulate"],
  [/^(?:PUT|GET) \/v1\/webhooks$/, "webhook"],
];

/** The statuses of refusals that depend on more than the call's body: a credential, a limit, the disk. */
const UNREPEATABLE: ReadonlySet<number> = new Set([401, 403, 405, 413, 415, 429, 503]);

/** @returns undefined for a request that cannot be repeated. */
function readRequest(request: WireRequest): LoggedCall | undefined {
  const { method, integration: token, status, lost, response_headers: sent } = request;
  const path = request.path.replace(/\?.*$/s, "");
  const kind = ROUTES.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1];
  const body = method === "GET" ? undefined : parseObject(request.body);
  if (kind === undefined || token === null || (method !== "GET" && !body)) return undefined;
  const answer = parseObject(request.response) ?? {};
  const { id, errors } = answer;
  const code = typeof answer["code"] === "string" ? answer["code"] : undefined;
  const isRefused = status >= 400;
  const isInjected =
    code !== undefined &&
    (isInjectedMessage(code, answer["message"] ?? answer["detail"]) ||
      sent["x-sandbox-magic"] !== undefined ||
      request.headers["x-sandbox-fault"]?.startsWith("error=") === true);
  const fields = Array.isArray(errors)
    ? errors.map((error: { readonly field?: unknown }) => String(error.field))
    : [];
  const isAboutHeaders = fields.some((field) => /^(?:x-|content-)/.test(field));
  if (isRefused && !isInjected) {
    if (UNREPEATABLE.has(status) || code === "EXTERNAL_ERROR") return undefined;
    if (isAboutHeaders && code !== "DUPLICATED_VALUE") return undefined;
  }
  const transactionId = kind === "simulate" ? body?.["transaction_id"] : isRefused ? undefined : id;
  if (kind === "create" && !isRefused && typeof id !== "string") return undefined;
  const choices = (sent["x-sandbox-assumption"] ?? "").split(", ").filter((one) => /=/.test(one));
  return {
    kind,
    method,
    path,
    atMs: fromIso(request.at) ?? 0,
    token,
    body,
    status,
    code,
    isLost: lost,
    isInjected,
    key: request.headers["x-idempotency-key"] ?? "",
    transactionId: typeof transactionId === "string" ? transactionId : undefined,
    assumed: Object.fromEntries(choices.map((one) => one.split(/=(.*)/s).slice(0, 2))),
    isAboutWebhookUrl: fields.includes("webhook_url"),
  };
}

/** Whether a message is that of an error that a fault injects. */
function isInjectedMessage(code: string, message: unknown): boolean {
  const injected = INJECTED_CODES.find((one) => one === code);
  if (injected === undefined) return false;
  const { text } = injectedError(injected);
  return LANGUAGE_NAMES.some((language) => message === translate(text, language));
}

function parseObject(text: string | null): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** What a sandbox stores about the past. */
export interface History {
  readonly payins: readonly WirePayin[];
  readonly payouts: readonly WirePayout[];
  readonly deliveries: readonly WireDelivery[];
  /** The newest requests only, in memory. */
  readonly requests: readonly WireRequest[];
  /** The choices that are not the default, by integration. */
  readonly assumptions: ReadonlyMap<string, Assumed>;
}

/** Choices by the names of their assumptions. */
export type Assumed = Readonly<Record<string, string | number>>;

/** What reads a history: a client of the sandbox. */
export interface HistoryClient {
  list<Row>(path: string): Promise<Row[]>;
  control<Wire>(method: string, path: string): Promise<Wire>;
}

/** Reads the history of an integration, or of all, as the client's token selects. */
export async function readHistory(
  client: Pick<HistoryClient, "list">,
  clientOf: (token: string) => Pick<HistoryClient, "control">,
): Promise<History> {
  const payins = await client.list<WirePayin>("/payins");
  const payouts = await client.list<WirePayout>("/payouts");
  const deliveries = await client.list<WireDelivery>("/deliveries");
  const requests = await client.list<WireRequest>("/requests");
  const tokens = new Set(
    [...payins, ...payouts, ...requests].flatMap(({ integration }) => integration ?? []),
  );
  const assumptions = new Map<string, Assumed>();
  for (const token of tokens) {
    const { data } = await clientOf(token).control<{ data: readonly AssumptionRow[] }>(
      "GET",
      "/assumptions",
    );
    const changed = data.filter((row) => row.choice !== row.default);
    assumptions.set(token, Object.fromEntries(changed.map(({ name, choice }) => [name, choice])));
  }
  return { payins, payouts, deliveries, requests, assumptions };
}
