import type { AssumptionChanges, AssumptionRow } from "../core/assumptions/table.ts";
import type { FaultyOperation } from "../core/faults/effects.ts";
import type { WireDelivery, WireFault, WireRequest, WireSnapshot } from "../core/wire.ts";
import type { WirePayin } from "../core/payments/payin.ts";
import type { WirePayout } from "../core/payments/payout.ts";
import type { ConfiguredEvent } from "../core/webhooks/webhook-configuration.ts";
import { toWireNames } from "../core/camel-case.ts";
import { BUYER, RECEIVER, SAMPLE } from "./sample.ts";
import { type Client, toSegment } from "./client.ts";
import { SandboxError, toQuery } from "./wire-client.ts";
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
import { explainWait } from "./wait-timeout.ts";

/** Charges. An unknown id is a SandboxError with the status 404, a move that the status forbids one with 422. */
export interface Payins {
  /** Creates one as a client of the gateway does, with sample values for what is not said. */
  create(payin?: NewPayin, options?: CallOptions): Promise<CreatedPayin>;
  /** Pays a waiting one, as its buyer would. */
  pay(id: string): Promise<Payin>;
  cancel(id: string): Promise<Payin>;
  expire(id: string): Promise<Payin>;
  /** Calls the gateway's simulation, as the integration of the payin. Default `completed`. */
  simulate(id: string, status?: "completed" | "canceled"): Promise<Payin>;
  get(id: string): Promise<Payin>;
  /** In order of creation. */
  list(filter?: PayinFilter): Promise<readonly Payin[]>;
}

/** Payouts, likewise. */
export interface Payouts {
  /** The answer is the record as it is now: one that a rival has canceled says so. */
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
   * Resolves to the newest that was delivered, as soon as there is one; the past counts too.
   * @throws WaitTimeoutError where none was in time: it shows what there was instead.
   */
  waitFor(options?: WaitOptions): Promise<Delivery>;
  get(id: string): Promise<Delivery>;
  list(filter?: WebhookFilter): Promise<readonly Delivery[]>;
  /** One more attempt with the same id and bytes; resolves when it has ended. */
  resend(id: string): Promise<Delivery>;
  /** The same for all that are meant. */
  resendAll(filter?: WebhookFilter): Promise<readonly Delivery[]>;
  /** Names one more address, and which events it is told of; the one before is told no more. */
  configure(configuration: WebhookConfiguration): Promise<WebhookConfiguration>;
  /** What is configured. Before anything is, a SandboxError with the status 404. */
  configuration(): Promise<WebhookConfiguration>;
}

/** What the gateway was sent, and what it answered. */
export interface Requests {
  /** The oldest first. */
  list(): Promise<readonly LoggedRequest[]>;
}

/** The choices that hold where the specification is silent. */
export interface AssumptionsView {
  list(): Promise<readonly AssumptionRow[]>;
  change(changes: AssumptionChanges): Promise<readonly AssumptionRow[]>;
}

/** Failures on demand. */
export interface Faults {
  /** Lets the next call of an operation, or the next webhook, that matches fail. */
  once(on: FaultyOperation, effect: CallEffect, match?: FaultMatch): Promise<Fault>;
  once(on: "webhook", effect: WebhookFaultEffect, match?: FaultMatch): Promise<Fault>;
  add(fault: NewFault): Promise<Fault>;
  list(): Promise<readonly Fault[]>;
  /** Lets go the calls that it holds, in this order and the others behind: each by its place of arrival or its key. */
  release(id: string, order?: readonly (number | string)[]): Promise<Fault>;
  remove(id: string): Promise<Fault>;
  /** Takes all away; the calls that they held go on. */
  clear(): Promise<readonly Fault[]>;
}

/** Records that are kept under names, of the integration alone or of everyone with the clock. */
export interface Snapshots {
  list(): Promise<readonly Snapshot[]>;
  delete(name: string): Promise<void>;
}

/** The sandbox as one integration sees it, or as everyone together does. */
export interface View {
  readonly payins: Payins;
  readonly payouts: Payouts;
  readonly webhooks: Webhooks;
  readonly requests: Requests;
  readonly assumptions: AssumptionsView;
  readonly faults: Faults;
  /** The headers of a gateway call, with an idempotency key that is new at each call. */
  headers(): Record<string, string>;
  /** Resolves when nothing is in flight, or due at the clock's now. */
  settled(): Promise<void>;
  /** Goes back to the fixtures, or to nothing; nothing old is sent any more. */
  reset(): Promise<void>;
  /** Keeps the records under a name; they can be restored again and again. */
  snapshot(name: string): Promise<Snapshot>;
  restore(name: string): Promise<Snapshot>;
  readonly snapshots: Snapshots;
}

/** The view of one `x-api-token`, a world of its own. */
export interface Integration extends View {
  readonly token: string;
}

/** An integration's view. */
export function viewIntegration(client: Client, token: string): Integration {
  return { token, ...view(client.as(token)) };
}

/** The view of a client: every member is a route, called as anybody can call it. */
export function view(client: Client): View {
  return {
    payins: payinsOf(client),
    payouts: payoutsOf(client),
    webhooks: webhooksOf(client),
    requests: { list: () => client.list<WireRequest>("/requests") },
    assumptions: {
      list: async () => (await client.control<Rows<AssumptionRow>>("GET", "/assumptions")).data,
      change: async (changes) =>
        (await client.control<Rows<AssumptionRow>>("PATCH", "/assumptions", changes)).data,
    },
    faults: faultsOf(client),
    headers: () => client.headers(),
    settled: async () => void (await client.control("POST", "/settle")),
    reset: async () => void (await client.control("POST", "/reset")),
    snapshot: async (name) => client.control<WireSnapshot>("PUT", `/snapshots/${toSegment(name)}`),
    restore: async (name) =>
      client.control<WireSnapshot>("POST", `/snapshots/${toSegment(name)}/restore`),
    snapshots: {
      list: () => client.list<WireSnapshot>("/snapshots"),
      delete: async (name) =>
        void (await client.control("DELETE", `/snapshots/${toSegment(name)}`)),
    },
  };
}

function payinsOf(client: Client): Payins {
  const move = async (id: string, verb: string): Promise<Payin> =>
    client.control<WirePayin>("POST", `/payins/${toSegment(id)}/${verb}`);
  const get = async (id: string): Promise<Payin> =>
    client.control<WirePayin>("GET", `/payins/${toSegment(id)}`);
  return {
    create: async (said = {}, options = {}) => {
      const body = { ...BUYER, webhook_url: SAMPLE.webhookUrl, ...toWireNames(said) };
      const { id, qrCodeBase64 } = await client.gateway<{ id: string; qr_code_base64?: string }>(
        "POST",
        "/payins",
        body,
        options,
      );
      const payin = await get(id);
      return qrCodeBase64 === undefined ? payin : { ...payin, qrCodeBase64 };
    },
    pay: (id) => move(id, "pay"),
    cancel: (id) => move(id, "cancel"),
    expire: (id) => move(id, "expire"),
    simulate: (id, status = "completed") => simulate(client, "/payins", get, id, status),
    get,
    list: (filter = {}) => client.list<WirePayin>("/payins", { ...filter }),
  };
}

function payoutsOf(client: Client): Payouts {
  const move = async (id: string, verb: string): Promise<Payout> =>
    client.control<WirePayout>("POST", `/payouts/${toSegment(id)}/${verb}`);
  const get = async (id: string): Promise<Payout> =>
    client.control<WirePayout>("GET", `/payouts/${toSegment(id)}`);
  return {
    create: async (said = {}, options = {}) => {
      const { receiverCpf = RECEIVER.pix_key } = said;
      const sample = { ...RECEIVER, pix_key: receiverCpf, webhook_url: SAMPLE.webhookUrl };
      const body = { ...sample, ...toWireNames(said) };
      const { id } = await client.gateway<{ id: string }>("POST", "/payouts", body, options);
      return get(id);
    },
    complete: (id) => move(id, "complete"),
    cancel: (id) => move(id, "cancel"),
    simulate: (id, status = "completed") => simulate(client, "/payouts", get, id, status),
    get,
    list: (filter = {}) => client.list<WirePayout>("/payouts", { ...filter }),
  };
}

/** As the integration of the record, where the client is nobody's. */
async function simulate<Row extends Payin | Payout>(
  client: Client,
  path: string,
  get: (id: string) => Promise<Row>,
  id: string,
  status: string,
): Promise<Row> {
  const token = client.token ?? (await get(id)).integration;
  await client.gateway("POST", `${path}/simulations`, { transaction_id: id, status }, { token });
  return get(id);
}

/** Less than vitest and jest give a test, of which otherwise nobody would see why it waits in vain. */
const WAIT_MS = 4000;

function webhooksOf(client: Client): Webhooks {
  return {
    waitFor: async ({ timeoutMs = WAIT_MS, ...said } = {}) => {
      const wanted = { ...said, timeoutMs };
      try {
        return await client.control<WireDelivery>("GET", `/wait${toQuery(toWireNames(wanted))}`);
      } catch (error) {
        if (error instanceof SandboxError && error.status === 408)
          throw await explainWait(client, error, wanted.transactionId);
        throw error;
      }
    },
    get: async (id) => client.control<WireDelivery>("GET", `/deliveries/${toSegment(id)}`),
    list: (filter = {}) => client.list<WireDelivery>("/deliveries", toWireNames(filter)),
    resend: async (id) =>
      client.control<WireDelivery>("POST", `/deliveries/${toSegment(id)}/resend`),
    resendAll: async (filter = {}) => {
      const body = toWireNames(filter);
      return (await client.control<Rows<WireDelivery>>("POST", "/deliveries/resend", body)).data;
    },
    configure: (said) => client.gateway<WireConfiguration>("PUT", "/webhooks", toWireNames(said)),
    configuration: () => client.gateway<WireConfiguration>("GET", "/webhooks"),
  };
}

function faultsOf(client: Client): Faults {
  const add = (fault: object): Promise<Fault> =>
    client.control<WireFault>("POST", "/faults", fault);
  return {
    once: (on: string, effect: string, match?: FaultMatch) => add({ on, effect, match, times: 1 }),
    add,
    list: () => client.list<WireFault>("/faults"),
    release: async (id, order = []) =>
      client.control<WireFault>("POST", `/faults/${toSegment(id)}/release`, { order }),
    remove: async (id) => client.control<WireFault>("DELETE", `/faults/${toSegment(id)}`),
    clear: async () => (await client.control<Rows<WireFault>>("DELETE", "/faults")).data,
  };
}

/** The configuration as its operation takes and answers it. */
interface WireConfiguration {
  readonly webhook_url: string;
  readonly events: readonly ConfiguredEvent[];
}

interface Rows<Row> {
  readonly data: readonly Row[];
}
