import type { AssumptionChanges, AssumptionRow } from "../core/assumptions/table.ts";
import type { FaultyOperation } from "../core/faults/effects.ts";
import type { EventType } from "../core/records/transaction.ts";
import type { WireReview } from "../review/report.ts";
import { type InCamelCase, toCamelCase, toWireNames } from "../text/plain/camel-case.ts";
import type { AnswerOf, RouteKey, ValuesOf } from "../http/routes/table.ts";
import { BUYER, RECEIVER, sinkUrl } from "../wire/sample.ts";
import { type Calls, type ListKey, type RowOf, SandboxError, toToken } from "./calls.ts";
import { assertEventType } from "./event-type.ts";
import { listenTo, readWebhookEvents, type WebhookEvent } from "./events.ts";
import type {
  CallEffect,
  CallOptions,
  CreatedPayin,
  Delivery,
  Fault,
  FaultMatch,
  LoggedRequest,
  NewFault,
  NewPayin,
  NewPayout,
  Payin,
  PayinFilter,
  Payout,
  PayoutFilter,
  Snapshot,
  WaitOptions,
  WebhookConfiguration,
  WebhookFaultEffect,
  WebhookFilter,
} from "./records.ts";
import type { Receiver, Receivers } from "./receiver.ts";
import {
  type BodySubset,
  expectReceived,
  type GatewayCall,
  type ReceivedOptions,
} from "./received.ts";
import { type ReportOptions, readReview } from "./review.ts";
import { assertAllUsed, assertNoneRefused } from "./expectations.ts";
import { explainWait } from "./wait-timeout.ts";
import {
  assertMembers,
  CALL_OPTIONS,
  CONFIGURATION,
  NEW_FAULT,
  NEW_PAYIN,
  NEW_PAYOUT,
  PAYIN_FILTER,
  PAYOUT_FILTER,
  WAIT_OPTIONS,
  WEBHOOK_FILTER,
} from "./members.ts";

/** Charges. An unknown id rejects with a SandboxError 404, a move that the record's status forbids with a SandboxError 422. */
export interface Payins {
  /** Creates a payin through the gateway, with sample values for missing members. */
  create(payin?: NewPayin, options?: CallOptions): Promise<CreatedPayin>;
  /** Pays a waiting payin, as its buyer would. */
  pay(id: string): Promise<Payin>;
  /** Pays the waiting payin that a BR Code belongs to. */
  payCode(code: string): Promise<Payin>;
  cancel(id: string): Promise<Payin>;
  expire(id: string): Promise<Payin>;
  /** Calls the gateway's simulation as the payin's integration. Default `completed`. */
  simulate(id: string, status?: "completed" | "canceled"): Promise<Payin>;
  get(id: string): Promise<Payin>;
  /** In order of creation. */
  list(filter?: PayinFilter): Promise<readonly Payin[]>;
}

/** Payouts, with the same errors. */
export interface Payouts {
  /** Resolves to the current record: `canceled` if the receiver has another payout in progress. */
  create(payout?: NewPayout, options?: CallOptions): Promise<Payout>;
  complete(id: string): Promise<Payout>;
  cancel(id: string): Promise<Payout>;
  simulate(id: string, status?: "completed" | "canceled"): Promise<Payout>;
  get(id: string): Promise<Payout>;
  list(filter?: PayoutFilter): Promise<readonly Payout[]>;
}

/** Webhooks, each with its attempts. */
export interface Webhooks {
  /**
   * Resolves to the newest matching delivery, as soon as one exists. Earlier deliveries count too.
   * @throws TypeError for an unknown type; WaitTimeoutError after `timeoutMs`, with the webhooks that exist instead.
   */
  waitFor(options?: WaitOptions): Promise<Delivery>;
  get(id: string): Promise<Delivery>;
  list(filter?: WebhookFilter): Promise<readonly Delivery[]>;
  /** Sends the webhook again with the same id and bytes; resolves when the attempt ends. */
  resend(id: string): Promise<Delivery>;
  /** Resends all matching webhooks. */
  resendAll(filter?: WebhookFilter): Promise<readonly Delivery[]>;
  /** Sets the additional address and its events, and replaces the previous configuration. */
  configure(configuration: WebhookConfiguration): Promise<WebhookConfiguration>;
  /** Reads the configuration. Rejects with a SandboxError 404 before the first `configure()`. */
  configuration(): Promise<WebhookConfiguration>;
}

/** The gateway's requests and responses. */
export interface Requests {
  /** Oldest first. */
  list(): Promise<readonly LoggedRequest[]>;
  /**
   * Waits for a request, such as `POST /v1/payins`, whose JSON body has the given members, with their names on the
   * wire. Earlier requests count too. Resolves to the newest one.
   * @throws Error after `timeoutMs`, with the requests that the gateway has received instead.
   */
  expectReceived(
    call: GatewayCall,
    body?: BodySubset,
    options?: ReceivedOptions,
  ): Promise<LoggedRequest>;
}

/** The choices for the gaps in the specification. */
export interface AssumptionsView {
  list(): Promise<readonly AssumptionRow[]>;
  change(changes: AssumptionChanges): Promise<readonly AssumptionRow[]>;
}

/** Injected faults. */
export interface Faults {
  /** Makes the next matching call or webhook fail. */
  once(on: FaultyOperation, effect: CallEffect, match?: FaultMatch): Promise<Fault>;
  once(on: "webhook", effect: WebhookFaultEffect, match?: FaultMatch): Promise<Fault>;
  add(fault: NewFault): Promise<Fault>;
  list(): Promise<readonly Fault[]>;
  /** The faults that a call or a webhook has used. */
  used(): Promise<readonly Fault[]>;
  /** Releases the held calls, in the order of their arrival. */
  release(id: string): Promise<Fault>;
  remove(id: string): Promise<Fault>;
  /** Removes all faults and releases the calls that they hold. */
  clear(): Promise<readonly Fault[]>;
}

/** Saved records: of one integration, or of all integrations together with the clock. */
export interface Snapshots {
  list(): Promise<readonly Snapshot[]>;
  delete(name: string): Promise<void>;
}

/** The sandbox as one integration or all integrations see it. */
export interface View {
  readonly payins: Payins;
  readonly payouts: Payouts;
  readonly webhooks: Webhooks;
  readonly requests: Requests;
  readonly assumptions: AssumptionsView;
  readonly faults: Faults;
  /**
   * Calls `listener` with each webhook of a type that the sandbox creates after this call of `on`, however soon. The
   * call that causes a webhook can end before the listener is called.
   * @returns a function that stops it. Until then a connection to a sandbox in another process stays open.
   */
  on<Type extends EventType>(
    type: Type,
    listener: (event: WebhookEvent<Type>) => unknown,
  ): () => void;
  /**
   * Iterates over the webhooks from this call on, in the order of their creation. After a lost connection it continues
   * where it was. It ends when the sandbox stops; leaving the loop closes the connection.
   */
  events(): AsyncIterableIterator<WebhookEvent>;
  /** @throws Error if a fault was never used, or less often than its `times`. */
  expectNoUnusedFaults(): Promise<void>;
  /** @throws Error if the gateway has refused a call. A refusal that a fault causes counts too. */
  expectNoRefusedCalls(): Promise<void>;
  /** The headers of a gateway call, with a new idempotency key each time. */
  headers(): Record<string, string>;
  /** Starts a webhook handler for tests, on a free port of this machine. */
  receiver(): Promise<Receiver>;
  /** Resolves when no webhook is in flight or due at the sandbox's current time. */
  settled(): Promise<void>;
  /**
   * Judges the integration by what it has done since the sandbox started; a reset does not change that. Waits like
   * `settled()` first. The members have their names of the wire, as in `pix-sandbox report --json`.
   */
  report(options?: ReportOptions): Promise<WireReview>;
  /**
   * Resolves to an HTML file that shows what has happened, and opens in a browser without a server. Tokens and personal
   * data are replaced in it.
   */
  trace(): Promise<string>;
  /** Deletes all records and pending webhooks, and loads the fixtures again. */
  reset(): Promise<void>;
  /** Saves the records under a name. A snapshot can be restored several times. */
  snapshot(name: string): Promise<Snapshot>;
  restore(name: string): Promise<Snapshot>;
  readonly snapshots: Snapshots;
}

/** The view of one `x-api-token`, isolated from the others. */
export interface Integration extends View {
  readonly token: string;
}

/** Creates the view of an integration. */
export function viewIntegration(client: Calls, token: string, receivers: Receivers): Integration {
  return { token, ...view(client.as(toToken(token)), receivers) };
}

/** Creates the view of a client: each method calls one route, and gives its answer the names of the API. */
export function view(client: Calls, receivers: Receivers): View {
  const { call } = namedAsApi(client);
  const faults = faultsOf(client);
  const requests = requestsOf(client);
  return {
    payins: payinsOf(client),
    payouts: payoutsOf(client),
    webhooks: webhooksOf(client),
    requests,
    assumptions: {
      list: async () => (await call("GET /assumptions")).data,
      change: async (changes) => (await call("PATCH /assumptions", changes as object)).data,
    },
    faults,
    on: (type, listener) => listenTo(client, type, listener),
    events: () => readWebhookEvents(client),
    expectNoUnusedFaults: async () => assertAllUsed(await faults.list()),
    expectNoRefusedCalls: async () => assertNoneRefused(await requests.list()),
    headers: () => client.headers(),
    receiver: async () => receivers.open((await call("GET /secret")).secret),
    settled: async () => void (await call("POST /settle")),
    report: async (options) => readReview(client, options),
    trace: async () => (await client.call("GET /trace", { as: "json" })).html,
    reset: async () => void (await call("POST /reset")),
    snapshot: (name) => call("PUT /snapshots/{name}", { name }),
    restore: (name) => call("POST /snapshots/{name}/restore", { name }),
    snapshots: {
      list: async () => (await call("GET /snapshots")).data,
      delete: async (name) => void (await call("DELETE /snapshots/{name}", { name })),
    },
  };
}

/** A client's calls, whose answers have the names of the API; so has the filter of a list. */
function namedAsApi(client: Calls) {
  return {
    call: async <Key extends RouteKey>(
      key: Key,
      values?: ValuesOf<Key>,
      options?: Parameters<Calls["call"]>[2],
    ): Promise<InCamelCase<AnswerOf<Key>>> => toCamelCase(await client.call(key, values, options)),
    list: async <Key extends ListKey>(
      key: Key,
      filter: object = {},
    ): Promise<InCamelCase<RowOf<Key>>[]> =>
      (await client.list(key, toWireNames(filter) as ValuesOf<Key>)).map(toCamelCase<RowOf<Key>>),
  };
}

function payinsOf(client: Calls): Payins {
  const { call, list } = namedAsApi(client);
  const get = (id: string): Promise<Payin> => call("GET /payins/{id}", { id });
  return {
    get,
    list: async (filter = {}) => {
      assertMembers("payins.list()", filter, PAYIN_FILTER);
      return list("GET /payins", filter);
    },
    create: async (members = {}, options = {}) => {
      assertMembers("payins.create()", members, NEW_PAYIN);
      assertMembers("payins.create()", options, CALL_OPTIONS);
      const { value = await client.sampleValue() } = members;
      const sample = { ...BUYER, webhook_url: sinkUrl(client.url) };
      const body = { ...sample, ...toWireNames(members), value };
      const { id, qrCodeBase64 } = await call("POST /v1/payins", body, options);
      const payin = await get(id);
      return qrCodeBase64 === undefined ? payin : { ...payin, qrCodeBase64 };
    },
    pay: (id) => call("POST /payins/{id}/pay", { id }),
    payCode: (code) => call("POST /pay", { code }),
    cancel: (id) => call("POST /payins/{id}/cancel", { id }),
    expire: (id) => call("POST /payins/{id}/expire", { id }),
    simulate: async (id, status = "completed") => {
      const values = { transaction_id: id, status };
      const token = await ownerOf(client, () => get(id));
      await call("POST /v1/payins/simulations", values, { token });
      return get(id);
    },
  };
}

function payoutsOf(client: Calls): Payouts {
  const { call, list } = namedAsApi(client);
  const get = (id: string): Promise<Payout> => call("GET /payouts/{id}", { id });
  return {
    get,
    list: async (filter = {}) => {
      assertMembers("payouts.list()", filter, PAYOUT_FILTER);
      return list("GET /payouts", filter);
    },
    create: async (members = {}, options = {}) => {
      assertMembers("payouts.create()", members, NEW_PAYOUT);
      assertMembers("payouts.create()", options, CALL_OPTIONS);
      const { receiverCpf = RECEIVER.pix_key, value = await client.sampleValue() } = members;
      const sample = { ...RECEIVER, pix_key: receiverCpf, webhook_url: sinkUrl(client.url) };
      const body = { ...sample, ...toWireNames(members), value };
      return get((await call("POST /v1/payouts", body, options)).id);
    },
    complete: (id) => call("POST /payouts/{id}/complete", { id }),
    cancel: (id) => call("POST /payouts/{id}/cancel", { id }),
    simulate: async (id, status = "completed") => {
      const values = { transaction_id: id, status };
      const token = await ownerOf(client, () => get(id));
      await call("POST /v1/payouts/simulations", values, { token });
      return get(id);
    },
  };
}

/** Only the integration of a record can simulate it. */
async function ownerOf(
  { token }: Calls,
  read: () => Promise<{ readonly integration: string }>,
): Promise<string> {
  return token ?? (await read()).integration;
}

/** Less than the test timeout of vitest and jest, so that the error of the wait is shown. */
const WAIT_MS = 4000;

function webhooksOf(client: Calls): Webhooks {
  const { call, list } = namedAsApi(client);
  return {
    waitFor: async (options = {}) => {
      assertMembers("waitFor()", options, WAIT_OPTIONS);
      const { timeoutMs = WAIT_MS, ...filter } = options;
      assertEventType("waitFor()", filter.type);
      const wanted = { ...filter, timeoutMs: Math.round(timeoutMs) };
      try {
        return await call("GET /wait", toWireNames(wanted));
      } catch (error) {
        if (error instanceof SandboxError && error.status === 408)
          throw await explainWait(client, error, wanted.transactionId);
        throw error;
      }
    },
    get: (id) => call("GET /deliveries/{id}", { id }),
    list: async (filter = {}) => {
      assertMembers("webhooks.list()", filter, WEBHOOK_FILTER);
      return list("GET /deliveries", filter);
    },
    resend: (id) => call("POST /deliveries/{id}/resend", { id }),
    resendAll: async (filter = {}) => {
      assertMembers("resendAll()", filter, WEBHOOK_FILTER);
      return (await call("POST /deliveries/resend", toWireNames(filter))).data;
    },
    configure: async (members) => {
      assertMembers("configure()", members, CONFIGURATION);
      return call("PUT /v1/webhooks", toWireNames(members));
    },
    configuration: () => call("GET /v1/webhooks"),
  };
}

function requestsOf(client: Calls): Requests {
  const list = (): Promise<readonly LoggedRequest[]> => namedAsApi(client).list("GET /requests");
  return {
    list,
    expectReceived: (call, body, options) => expectReceived(list, call, body, options),
  };
}

function faultsOf(client: Calls): Faults {
  const { call, list: listRows } = namedAsApi(client);
  const add = async (fault: object): Promise<Fault> => {
    assertMembers("faults.add()", fault, NEW_FAULT);
    return call("POST /faults", fault);
  };
  const list = (): Promise<readonly Fault[]> => listRows("GET /faults");
  return {
    once: (on: string, effect: string, match?: FaultMatch) => add({ on, effect, match, times: 1 }),
    add,
    list,
    used: async () => (await list()).filter(({ used }) => used > 0),
    release: (id) => call("POST /faults/{id}/release", { id }),
    remove: (id) => call("DELETE /faults/{id}", { id }),
    clear: async () => (await call("DELETE /faults")).data,
  };
}
