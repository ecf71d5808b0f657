import { toIso } from "../../wire/timestamp.ts";
import type { RuleId } from "../../review/rules.ts";
import type { Control } from "./control.ts";
import { OLD_S, signBody, type SignedWebhook } from "../hand-made-webhook.ts";
import { writeUnusually } from "../unusual-json.ts";
import { newEventId, signEvent, type WebhookEvent } from "./webhook.ts";
import { type Message, say } from "../../text/message.ts";

/** What a probe starts from. */
export interface ProbeSource {
  readonly control: Control;
  readonly secret: string;
  /** A payin.paid that the handler has not seen, of a transaction that it accepts. */
  readonly nextEvent: () => Promise<WebhookEvent>;
}

/** A webhook that shows whether a handler makes one mistake. */
export interface Probe {
  readonly rule: RuleId;
  readonly what: Message;
  /** Whether a correct handler accepts it. */
  readonly isValid: boolean;
  readonly make: (source: ProbeSource) => Promise<SignedWebhook>;
}

const OTHER_SECRET = "whsec_bm90IHRoZSBtZXJjaGFudCdzIHNlY3JldA==";

/** The probes, in the order in which they are sent. */
export const PROBES: readonly Probe[] = [
  {
    rule: "duplicate_refused",
    what: say`the same webhook again`,
    isValid: true,
    make: async ({ control: { webhook }, secret }) => signBody(webhook.id, webhook.body, secret),
  },
  {
    rule: "bad_signature_accepted",
    what: say`a signature of other bytes`,
    isValid: false,
    make: async ({ secret, nextEvent }) => {
      const event = await nextEvent();
      const { signature } = signEvent({ ...event, data: { ...event.data, value: 0.01 } }, secret);
      return { ...signEvent(event, secret), signature };
    },
  },
  {
    rule: "bad_signature_accepted",
    what: say`a signature by another secret`,
    isValid: false,
    make: async ({ nextEvent }) => signEvent(await nextEvent(), OTHER_SECRET),
  },
  {
    rule: "signature_not_checked",
    what: say`any text as the signature`,
    isValid: false,
    make: async ({ secret, nextEvent }) => ({
      ...signEvent(await nextEvent(), secret),
      signature: "not-a-signature",
    }),
  },
  {
    rule: "old_timestamp_accepted",
    what: say`signed ten minutes ago`,
    isValid: false,
    make: async ({ secret, nextEvent }) => {
      const event = await nextEvent();
      return signBody(event.id, JSON.stringify(event), secret, OLD_S);
    },
  },
  {
    rule: "body_reserialised",
    what: say`the same JSON, written differently`,
    isValid: true,
    make: async ({ secret, nextEvent }) => {
      const event = await nextEvent();
      return signBody(event.id, writeUnusually(event), secret);
    },
  },
  {
    rule: "unknown_type_refused",
    what: say`an unknown type of event`,
    isValid: true,
    make: async ({ secret, nextEvent }) =>
      signEvent({ ...(await nextEvent()), type: "payin.refunded_partially" }, secret),
  },
  {
    rule: "unknown_type_refused",
    what: say`additional members`,
    isValid: true,
    make: async ({ secret, nextEvent }) => {
      const event = await nextEvent();
      const data = { ...event.data, settlement: { batch: "b-1", fee: 0.1 }, tags: ["new"] };
      return signEvent({ ...event, data, version: 2 } as WebhookEvent, secret);
    },
  },
];

/** The same event of another transaction. */
export function withNewIds({ type, created_at, data }: WebhookEvent): WebhookEvent {
  return {
    id: newEventId(),
    type,
    created_at,
    data: {
      ...data,
      id: crypto.randomUUID(),
      pix_id: crypto.randomUUID().replaceAll("-", ""),
      end_to_end_id: newEndToEndId(data["end_to_end_id"]),
    },
  };
}

/** The payment of a charge, as the sandbox reports it. @param paid a payment that the sandbox has reported */
export function paymentOf(
  record: Readonly<Record<string, unknown>>,
  paid: WebhookEvent,
  nowMs: number,
): WebhookEvent {
  const { integration: _, ...members } = record;
  const now = toIso(nowMs);
  return {
    id: newEventId(),
    type: "payin.paid",
    created_at: now,
    data: {
      ...members,
      status: paid.data["status"],
      end_to_end_id: newEndToEndId(paid.data["end_to_end_id"]),
      settled_at: now,
    },
  };
}

/** `E`, the bank's ISPB and the time stay; the rest is new. */
function newEndToEndId(model: unknown): unknown {
  if (typeof model !== "string") return model;
  return model.slice(0, -11) + crypto.randomUUID().replaceAll("-", "").slice(0, 11);
}
