import type { AssumptionChanges, AssumptionRow } from "../core/assumptions/table.ts";
import type { FaultyOperation } from "../core/faults/effects.ts";
import type { WireDelivery, WireFault, WireRequest, WireSnapshot } from "../core/state/wire.ts";
import type {
  WirePayin,
  WirePayout,
  EventType,
  ConfiguredEvent,
} from "../core/records/transaction.ts";
import type { WireReview } from "../review/report.ts";
import { type InCamelCase, toWireNames } from "../text/plain/camel-case.ts";
import { BUYER, RECEIVER, sinkUrl } from "../wire/sample.ts";
import { type Client, toSegment } from "./client.ts";
import { assertEventType } from "./event-type.ts";
import { listenTo, readWebhookEvents, type WebhookEvent } from "./events.ts";
import { toQuery } from "../wire/route-key.ts";
import { SandboxError } from "./wire-client.ts";
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
export function viewIntegration(client: Client, token: string, receivers: Receivers): Integration {
  return { token, ...view(client.as(token), receivers) };
}

/** Creates the view of a client: each method calls one route. */
export function view(client: Client, receivers: Receivers): View {
  const faults = faultsOf(client);
  const requests = requestsOf(client);
  return {
    payins: payinsOf(client),
    payouts: payoutsOf(client),
    webhooks: webhooksOf(client),
    requests,
    assumptions: {
      list: async () => (await client.control<Rows<AssumptionRow>>("GET", "/assumptions")).data,
      change: async (changes) =>
        (await client.control<Rows<AssumptionRow>>("PATCH", "/assumptions", changes)).data,
    },
    faults,
    on: (type, listener) => listenTo(client, type, listener),
    events: () => readWebhookEvents(client),
    expectNoUnusedFaults: async () => assertAllUsed(await faults.list()),
    expectNoRefusedCalls: async () => assertNoneRefused(await requests.list()),
    headers: () => client.headers(),
    receiver: async () => {
      const { secret } = await client.control<{ secret: string }>("GET", "/secret");
      return receivers.open(secret);
    },
    settled: async () => void (await client.control("POST", "/settle")),
    report: async (options) => readReview(client.wire, options),
    trace: async () => (await client.control<{ html: string }>("GET", "/trace?as=json")).html,
    reset: async () => void (await client.control("POST", "/reset")),
    snapshot: async (name) => client.control<WireSnapshot>("PUT", `/snapshots/${toSegment(name)}`),
    restore: async (name) =>
      client.control<WireSnapshot>("POST", `/snapshots/${toSegment(name)}/restore`),
    snapshots: {
      list: async () => (await client.call("GET /snapshots")).data,
      delete: async (name) =>
        void (await client.control("DELETE", `/snapshots/${toSegment(name)}`)),
    },
  };
}

function payinsOf(client: Client): Payins {
  const { move, ...shared } = recordsOf<WirePayin>(client, "/payins");
  return {
    ...shared,
    list: async (filter: PayinFilter = {}) => {
      assertMembers("payins.list()", filter, PAYIN_FILTER);
      return shared.list(filter);
    },
    create: async (members = {}, options = {}) => {
      assertMembers("payins.create()", members, NEW_PAYIN);
      assertMembers("payins.create()", options, CALL_OPTIONS);
      const { value = await client.wire.sampleValue() } = members;
      const sample = { ...BUYER, webhook_url: sinkUrl(client.url) };
      const body = { ...sample, ...toWireNames(members), value };
      const { id, qrCodeBase64 } = await client.gateway<{ id: string; qr_code_base64?: string }>(
        "POST",
        "/payins",
        body,
        options,
      );
      const payin = await shared.get(id);
      return qrCodeBase64 === undefined ? payin : { ...payin, qrCodeBase64 };
    },
    pay: (id) => move(id, "pay"),
    payCode: (code) => client.control<WirePayin>("POST", "/pay", { code }),
    cancel: (id) => move(id, "cancel"),
    expire: (id) => move(id, "expire"),
  };
}

function payoutsOf(client: Client): Payouts {
  const { move, ...shared } = recordsOf<WirePayout>(client, "/payouts");
  return {
    ...shared,
    list: async (filter: PayoutFilter = {}) => {
      assertMembers("payouts.list()", filter, PAYOUT_FILTER);
      return shared.list(filter);
    },
    create: async (members = {}, options = {}) => {
      assertMembers("payouts.create()", members, NEW_PAYOUT);
      assertMembers("payouts.create()", options, CALL_OPTIONS);
      const { receiverCpf = RECEIVER.pix_key, value = await client.wire.sampleValue() } = members;
      const sample = { ...RECEIVER, pix_key: receiverCpf, webhook_url: sinkUrl(client.url) };
      const body = { ...sample, ...toWireNames(members), value };
      const { id } = await client.gateway<{ id: string }>("POST", "/payouts", body, options);
      return shared.get(id);
    },
    complete: (id) => move(id, "complete"),
    cancel: (id) => move(id, "cancel"),
  };
}

/** What payins and payouts have in common. */
function recordsOf<Wire extends WirePayin | WirePayout>(client: Client, path: string) {
  type Row = InCamelCase<Wire>;
  const get = async (id: string): Promise<Row> =>
    client.control<Wire>("GET", `${path}/${toSegment(id)}`);
  return {
    get,
    list: (filter?: object): Promise<readonly Row[]> => client.list<Wire>(path, filter),
    move: async (id: string, verb: string): Promise<Row> =>
      client.control<Wire>("POST", `${path}/${toSegment(id)}/${verb}`),
    simulate: async (id: string, status = "completed"): Promise<Row> => {
      // As the record's integration if the client has none.
      const token = client.token ?? ((await get(id)) as Payin | Payout).integration;
      const body = { transaction_id: id, status };
      await client.gateway("POST", `${path}/simulations`, body, { token });
      return get(id);
    },
  };
}

/** Less than the test timeout of vitest and jest, so that the error of the wait is shown. */
const WAIT_MS = 4000;

function webhooksOf(client: Client): Webhooks {
  return {
    waitFor: async (options = {}) => {
      assertMembers("waitFor()", options, WAIT_OPTIONS);
      const { timeoutMs = WAIT_MS, ...filter } = options;
      assertEventType("waitFor()", filter.type);
      const wanted = { ...filter, timeoutMs: Math.round(timeoutMs) };
      try {
        return await client.control<WireDelivery>("GET", `/wait${toQuery(toWireNames(wanted))}`);
      } catch (error) {
        if (error instanceof SandboxError && error.status === 408)
          throw await explainWait(client, error, wanted.transactionId);
        throw error;
      }
    },
    get: async (id) => client.control<WireDelivery>("GET", `/deliveries/${toSegment(id)}`),
    list: async (filter = {}) => {
      assertMembers("webhooks.list()", filter, WEBHOOK_FILTER);
      return client.list<WireDelivery>("/deliveries", filter);
    },
    resend: async (id) =>
      client.control<WireDelivery>("POST", `/deliveries/${toSegment(id)}/resend`),
    resendAll: async (filter = {}) => {
      assertMembers("resendAll()", filter, WEBHOOK_FILTER);
      const body = toWireNames(filter);
      return (await client.control<Rows<WireDelivery>>("POST", "/deliveries/resend", body)).data;
    },
    configure: async (members) => {
      assertMembers("configure()", members, CONFIGURATION);
      return client.gateway<WireConfiguration>("PUT", "/webhooks", toWireNames(members));
    },
    configuration: () => client.gateway<WireConfiguration>("GET", "/webhooks"),
  };
}

function requestsOf(client: Client): Requests {
  const list = (): Promise<readonly LoggedRequest[]> => client.list<WireRequest>("/requests");
  return {
    list,
    expectReceived: (call, body, options) => expectReceived(list, call, body, options),
  };
}

function faultsOf(client: Client): Faults {
  const add = async (fault: object): Promise<Fault> => {
    assertMembers("faults.add()", fault, NEW_FAULT);
    return client.control<WireFault>("POST", "/faults", fault);
  };
  const list = (): Promise<readonly Fault[]> => client.list<WireFault>("/faults");
  return {
    once: (on: string, effect: string, match?: FaultMatch) => add({ on, effect, match, times: 1 }),
    add,
    list,
    used: async () => (await list()).filter(({ used }) => used > 0),
    release: async (id) => client.control<WireFault>("POST", `/faults/${toSegment(id)}/release`),
    remove: async (id) => client.control<WireFault>("DELETE", `/faults/${toSegment(id)}`),
    clear: async () => (await client.control<Rows<WireFault>>("DELETE", "/faults")).data,
  };
}

/** The request and response of the configuration. */
interface WireConfiguration {
  readonly webhook_url: string;
  readonly events: readonly ConfiguredEvent[];
}

interface Rows<Row> {
  readonly data: readonly Row[];
}
