import type { AnswerName } from "./answers.ts";
import type { REFUSALS } from "./refusals.ts";
import type { BodyName, QueryName } from "./requests.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Refusal = keyof typeof REFUSALS;

/** What one method of one path does, in short. */
export interface Operation {
  readonly id: string;
  readonly tag: "Gateway" | "Records" | "Webhooks" | "Clock" | "Faults" | "Sandbox";
  readonly does: string;
  /** Who must say who is asking: nobody, who likes to, or everybody, with a key where a record is made. */
  readonly asks?: "identification" | "identification and key" | "integration";
  readonly query?: QueryName;
  readonly body?: BodyName;
  readonly isBodyOptional?: boolean;
  /** Whether it takes `x-sandbox-fault`. */
  readonly canFail?: boolean;
  readonly answer: AnswerName | "EventStream";
  /** Beside those that every route has. */
  readonly refusals?: readonly Refusal[];
}

/** What reading a body can end with; one that is sent where none is needed is read all the same. */
const BODY = ["unreadable", "tooLarge", "notJson"] as const satisfies readonly Refusal[];

const createPayin = {
  tag: "Gateway",
  asks: "identification and key",
  canFail: true,
  body: "PayinRequest",
  answer: "CreatedPayin",
  refusals: ["invalid", "noCredential", "duplicatedKey", "tooMany", ...BODY, "unwritable"],
} as const satisfies Partial<Operation>;

const movePayin = {
  tag: "Records",
  asks: "integration",
  answer: "Payin",
  refusals: ["unknownRecord", "final", ...BODY, "unwritable"],
} as const satisfies Partial<Operation>;

const movePayout = { ...movePayin, answer: "Payout" } as const satisfies Partial<Operation>;

const turnClock = {
  tag: "Clock",
  asks: "integration",
  answer: "Clock",
  refusals: [...BODY, "unwritable"],
} as const satisfies Partial<Operation>;

/** Every route, as `routes` in `app.ts` has them. */
export const OPERATIONS: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>> = {
  "/v1/payins": {
    POST: { ...createPayin, id: "createPayin", does: "Creates a charge." },
  },
  "/v2/payins": {
    POST: {
      ...createPayin,
      id: "createPayinV2",
      does: "Creates a charge, as the second version does: its errors are RFC 9457 problems.",
    },
  },
  "/v1/payouts": {
    POST: {
      ...createPayin,
      id: "createPayout",
      does: "Sends money to a receiver.",
      body: "PayoutRequest",
      answer: "CreatedPayout",
      refusals: [...createPayin.refusals, "rival"],
    },
  },
  "/v1/payins/simulations": {
    POST: {
      id: "simulatePayin",
      tag: "Gateway",
      does: "Forces a charge to its final status, in staging; its webhook is sent.",
      asks: "identification",
      canFail: true,
      body: "PayinSimulation",
      answer: "Simulated",
      refusals: ["invalid", "noCredential", "simulation", "tooMany", ...BODY, "unwritable"],
    },
  },
  "/v1/payouts/simulations": {
    POST: {
      id: "simulatePayout",
      tag: "Gateway",
      does: "Forces a payout to a final status, in staging; its webhook is sent.",
      asks: "identification",
      canFail: true,
      body: "PayoutSimulation",
      answer: "Simulated",
      refusals: ["invalid", "noCredential", "simulation", "tooMany", ...BODY, "unwritable"],
    },
  },
  "/v1/webhooks": {
    PUT: {
      id: "configureWebhook",
      tag: "Gateway",
      does: "Configures an address that is told beside each transaction's `webhook_url`.",
      asks: "identification",
      body: "WebhookConfiguration",
      answer: "ConfiguredWebhook",
      refusals: ["invalid", "noCredential", "tooMany", ...BODY, "unwritable"],
    },
    GET: {
      id: "readWebhook",
      tag: "Gateway",
      does: "Reads the configured webhook.",
      asks: "identification",
      answer: "ConfiguredWebhook",
      refusals: ["invalid", "noCredential", "notConfigured", "tooMany", "unwritable"],
    },
  },

  "/_sandbox/health": {
    GET: {
      id: "health",
      tag: "Sandbox",
      does: "Answers once the sandbox is ready, and whether it accepts changes.",
      answer: "Health",
    },
  },
  "/_sandbox/payins": {
    GET: {
      id: "listPayins",
      tag: "Records",
      does: "Lists payins.",
      asks: "integration",
      query: "payins",
      answer: "PayinPage",
      refusals: ["invalid", "unwritable"],
    },
  },
  "/_sandbox/payins/{id}": {
    GET: {
      id: "showPayin",
      tag: "Records",
      does: "Shows a payin.",
      asks: "integration",
      answer: "Payin",
      refusals: ["unknownRecord", "unwritable"],
    },
  },
  "/_sandbox/payins/{id}/pay": {
    POST: { ...movePayin, id: "payPayin", does: "Pays a waiting payin, as its buyer would." },
  },
  "/_sandbox/payins/{id}/cancel": {
    POST: { ...movePayin, id: "cancelPayin", does: "Cancels a waiting payin." },
  },
  "/_sandbox/payins/{id}/expire": {
    POST: { ...movePayin, id: "expirePayin", does: "Lets a waiting payin expire before its time." },
  },
  "/_sandbox/payouts": {
    GET: {
      id: "listPayouts",
      tag: "Records",
      does: "Lists payouts.",
      asks: "integration",
      query: "payouts",
      answer: "PayoutPage",
      refusals: ["invalid", "unwritable"],
    },
  },
  "/_sandbox/payouts/{id}": {
    GET: {
      id: "showPayout",
      tag: "Records",
      does: "Shows a payout.",
      asks: "integration",
      answer: "Payout",
      refusals: ["unknownRecord", "unwritable"],
    },
  },
  "/_sandbox/payouts/{id}/complete": {
    POST: { ...movePayout, id: "completePayout", does: "Completes a waiting payout." },
  },
  "/_sandbox/payouts/{id}/cancel": {
    POST: { ...movePayout, id: "cancelPayout", does: "Cancels a waiting payout." },
  },
  "/_sandbox/deliveries": {
    GET: {
      id: "listDeliveries",
      tag: "Webhooks",
      does: "Lists deliveries.",
      asks: "integration",
      query: "deliveries",
      answer: "DeliveryPage",
      refusals: ["invalid", "unwritable"],
    },
  },
  "/_sandbox/deliveries/resend": {
    POST: {
      id: "resendDeliveries",
      tag: "Webhooks",
      does: "Sends again all deliveries that a filter lets through, in the body or the query; answers when those attempts have ended.",
      asks: "integration",
      query: "filter",
      body: "DeliveryFilter",
      isBodyOptional: true,
      answer: "ResentDeliveries",
      refusals: ["invalid", ...BODY, "unwritable"],
    },
  },
  "/_sandbox/deliveries/{id}": {
    GET: {
      id: "showDelivery",
      tag: "Webhooks",
      does: "Shows a delivery and its attempts.",
      asks: "integration",
      answer: "Delivery",
      refusals: ["unknownRecord", "unwritable"],
    },
  },
  "/_sandbox/deliveries/{id}/resend": {
    POST: {
      id: "resendDelivery",
      tag: "Webhooks",
      does: "Sends a delivery again, with the same id and bytes; answers when that attempt has ended.",
      asks: "integration",
      answer: "Delivery",
      refusals: ["unknownRecord", ...BODY, "unwritable"],
    },
  },
  "/_sandbox/wait": {
    GET: {
      id: "waitForDelivery",
      tag: "Webhooks",
      does: "Waits for a webhook: the newest delivery of its kind that was delivered, past ones included.",
      asks: "integration",
      query: "wait",
      answer: "Delivery",
      refusals: ["invalid", "timedOut", "stopping", "unwritable"],
    },
  },
  "/_sandbox/settle": {
    POST: {
      id: "settle",
      tag: "Webhooks",
      does: "Answers when nothing is in flight or due at the clock's now.",
      asks: "integration",
      answer: "Settled",
      refusals: [...BODY, "unwritable"],
    },
  },
  "/_sandbox/requests": {
    GET: {
      id: "listRequests",
      tag: "Sandbox",
      does: "Lists what the gateway was sent and what it answered. They are in memory alone: a restart forgets them.",
      asks: "integration",
      query: "requests",
      answer: "RequestPage",
      refusals: ["invalid"],
    },
  },
  "/_sandbox/events": {
    GET: {
      id: "streamEvents",
      tag: "Webhooks",
      does: "Streams what happens, as server-sent events.",
      asks: "integration",
      answer: "EventStream",
      refusals: ["invalid", "unknownPlace", "unwritable"],
    },
  },
  "/_sandbox/clock": {
    GET: {
      id: "showClock",
      tag: "Clock",
      does: "Shows the sandbox's time; `happened` is empty.",
      answer: "Clock",
    },
  },
  "/_sandbox/clock/advance": {
    POST: {
      ...turnClock,
      id: "advanceClock",
      does: "Moves time forward by so many seconds; answers when all that fell due has happened.",
      body: "ClockAdvance",
      refusals: ["invalid", "noWayBack", ...BODY, "unwritable"],
    },
  },
  "/_sandbox/clock/set": {
    POST: {
      ...turnClock,
      id: "setClock",
      does: "Moves time forward to a time; answers when all that fell due has happened.",
      body: "ClockSetting",
      refusals: ["invalid", "noWayBack", ...BODY, "unwritable"],
    },
  },
  "/_sandbox/clock/freeze": {
    POST: { ...turnClock, id: "freezeClock", does: "Lets time stand still." },
  },
  "/_sandbox/clock/resume": {
    POST: { ...turnClock, id: "resumeClock", does: "Lets time go on from where it stands." },
  },
  "/_sandbox/reset": {
    POST: {
      id: "reset",
      tag: "Sandbox",
      does: "Goes back to the fixtures that the sandbox was started with, if any: other records, keys, faults, the webhook configuration, changed assumptions and pending deliveries are gone, attempts in flight are aborted, and without `x-api-token` the clock is as it was at the start. Secret, event numbers and snapshots stay.",
      asks: "integration",
      answer: "Reset",
      refusals: [...BODY, "unwritable"],
    },
  },
  "/_sandbox/snapshots": {
    GET: {
      id: "listSnapshots",
      tag: "Sandbox",
      does: "Lists the snapshots.",
      asks: "integration",
      answer: "Snapshots",
      refusals: ["unwritable"],
    },
  },
  "/_sandbox/snapshots/{name}": {
    PUT: {
      id: "saveSnapshot",
      tag: "Sandbox",
      does: "Keeps all records of one integration, or of all and the clock, as they are, under a name. One by that name is replaced.",
      asks: "integration",
      answer: "Snapshot",
      refusals: ["invalid", ...BODY, "unwritable"],
    },
    DELETE: {
      id: "deleteSnapshot",
      tag: "Sandbox",
      does: "Deletes a snapshot.",
      asks: "integration",
      answer: "DeletedSnapshot",
      refusals: ["unknownSnapshot", ...BODY, "unwritable"],
    },
  },
  "/_sandbox/snapshots/{name}/restore": {
    POST: {
      id: "restoreSnapshot",
      tag: "Sandbox",
      does: "Resets, and puts everything back as it was when the snapshot was taken; what is overdue then happens. The snapshot stays.",
      asks: "integration",
      answer: "Snapshot",
      refusals: ["unknownSnapshot", "damagedSnapshot", ...BODY, "unwritable"],
    },
  },
  "/_sandbox/faults": {
    GET: {
      id: "listFaults",
      tag: "Faults",
      does: "Lists the faults, with how often each was used.",
      asks: "integration",
      query: "faults",
      answer: "FaultPage",
      refusals: ["invalid", "unwritable"],
    },
    POST: {
      id: "createFault",
      tag: "Faults",
      does: "Orders a failure: for one integration, or for everyone. The first that applies acts, and it alone.",
      asks: "integration",
      body: "FaultRequest",
      answer: "Fault",
      refusals: ["invalid", ...BODY, "unwritable"],
    },
    DELETE: {
      id: "clearFaults",
      tag: "Faults",
      does: "Takes all faults away; the calls that they hold go on.",
      asks: "integration",
      answer: "RemovedFaults",
      refusals: [...BODY, "unwritable"],
    },
  },
  "/_sandbox/faults/{id}": {
    GET: {
      id: "showFault",
      tag: "Faults",
      does: "Shows a fault, and the calls that it holds.",
      asks: "integration",
      answer: "Fault",
      refusals: ["unknownRecord", "unwritable"],
    },
    DELETE: {
      id: "removeFault",
      tag: "Faults",
      does: "Takes a fault away; the calls that it holds go on.",
      asks: "integration",
      answer: "Fault",
      refusals: ["unknownRecord", ...BODY, "unwritable"],
    },
  },
  "/_sandbox/faults/{id}/release": {
    POST: {
      id: "releaseFault",
      tag: "Faults",
      does: "Lets the calls go that a fault holds, one after the other; answers when they are done. Later calls are held again.",
      asks: "integration",
      body: "FaultRelease",
      isBodyOptional: true,
      answer: "Fault",
      refusals: ["invalid", "unknownRecord", ...BODY, "unwritable"],
    },
  },
  "/_sandbox/assumptions": {
    GET: {
      id: "listAssumptions",
      tag: "Sandbox",
      does: "Lists every choice made where the specification is silent.",
      asks: "integration",
      answer: "AssumptionTable",
    },
    PATCH: {
      id: "changeAssumptions",
      tag: "Sandbox",
      does: "Changes choices: those of one integration, or everyone's.",
      asks: "integration",
      body: "AssumptionChanges",
      answer: "AssumptionTable",
      refusals: ["invalid", ...BODY, "unwritable"],
    },
  },
  "/_sandbox/integrations": {
    GET: {
      id: "listIntegrations",
      tag: "Sandbox",
      does: "Lists the integrations.",
      asks: "integration",
      answer: "Integrations",
      refusals: ["unwritable"],
    },
  },
  "/_sandbox/secret": {
    GET: {
      id: "showSecret",
      tag: "Sandbox",
      does: "Shows the secret that signs the webhooks, and the seed of the ids.",
      answer: "Secret",
    },
  },
  "/_sandbox/env": {
    GET: {
      id: "showEnvironment",
      tag: "Sandbox",
      does: "Shows the environment variables that point a program at this sandbox, under the address that was called.",
      asks: "integration",
      answer: "Environment",
    },
  },
  "/_sandbox/openapi.json": {
    GET: {
      id: "describeApi",
      tag: "Sandbox",
      does: "Answers this document, with the assumptions that hold.",
      asks: "integration",
      answer: "OpenApi",
    },
  },
};
