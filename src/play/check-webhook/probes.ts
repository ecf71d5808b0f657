import type { RuleId } from "../../review/rules.ts";
import { OLD_S, signBody, type SignedWebhook, type WebhookEvent } from "../hand-made-webhook.ts";
import { writeUnusually } from "../unusual-json.ts";
import { asSecret, sign } from "../../webhook-diagnosis/signature.ts";
import { signEvent } from "./webhook.ts";
import { type Experiment, UNMOVED } from "./experiment.ts";
import { isAccepted, type Outcome } from "./handler.ts";
import { Unseen } from "./shop.ts";
import { describeOutcome } from "./verdicts.ts";
import { type Message, say } from "../../text/message.ts";

/** A webhook that shows whether a handler makes one mistake. */
export interface Probe {
  readonly rule: RuleId;
  readonly what: Message;
  /** Whether a correct handler accepts it, and whether that pays the order. Default: as `isValid`. */
  readonly isValid: boolean;
  readonly pays?: boolean;
  /** Whether it is the webhook that the handler has accepted. Default: a new one. */
  readonly isRepeat?: boolean;
  /** Writes and signs the payment of a charge, or what looks like it. */
  readonly make: (paid: WebhookEvent, secret: string) => SignedWebhook;
}

const OTHER_SECRET = "whsec_bm90IHRoZSBtZXJjaGFudCdzIHNlY3JldA==";

/** The probes, in the order in which they are sent. */
export const PROBES: readonly Probe[] = [
  {
    rule: "duplicate_refused",
    what: say`the same webhook again`,
    isValid: true,
    isRepeat: true,
    make: signEvent,
  },
  forged(say`a signature of other bytes`, (event, secret) => {
    const { signature } = signEvent({ ...event, data: { ...event.data, value: 0.01 } }, secret);
    return { ...signEvent(event, secret), signature };
  }),
  forged(say`a signature by another secret`, (event) => signEvent(event, OTHER_SECRET)),
  ...(["webhook-id", "webhook-timestamp", "webhook-signature"] as const).map((without) =>
    forged(say`no header ${without}`, (event, secret) => ({
      ...signEvent(event, secret),
      without,
    })),
  ),
  forged(say`half of the signature`, (event, secret) =>
    cutSignature(signEvent(event, secret), HALF),
  ),
  forged(say`a signature with nothing after v1,`, (event, secret) =>
    cutSignature(signEvent(event, secret), "v1,".length),
  ),
  genuine(say`two signatures, the second one valid`, (event, secret) =>
    signTwice(event, OTHER_SECRET, secret),
  ),
  genuine(say`two signatures, the first one valid`, (event, secret) =>
    signTwice(event, secret, OTHER_SECRET),
  ),
  genuine(say`the headers as Webhook-Id, not webhook-id`, (event, secret) => ({
    ...signEvent(event, secret),
    isCapitalized: true,
  })),
  genuine(say`a name with letters that are not ASCII`, (event, secret) =>
    signEvent({ ...event, data: { ...event.data, buyer_name: "José Antônio" } }, secret),
  ),
  {
    rule: "signature_not_checked",
    what: say`any text as the signature`,
    isValid: false,
    make: (event, secret) => ({ ...signEvent(event, secret), signature: "not-a-signature" }),
  },
  {
    rule: "old_timestamp_accepted",
    what: say`signed ten minutes ago`,
    isValid: false,
    make: (event, secret) => signBody(event.id, JSON.stringify(event), secret, OLD_S),
  },
  {
    rule: "old_timestamp_accepted",
    what: say`signed in ten minutes`,
    isValid: false,
    make: (event, secret) => signBody(event.id, JSON.stringify(event), secret, -OLD_S),
  },
  {
    rule: "body_reserialised",
    what: say`the same JSON, written differently`,
    isValid: true,
    make: (event, secret) => signBody(event.id, writeUnusually(event), secret),
  },
  {
    rule: "unknown_type_refused",
    what: say`an unknown type of event`,
    isValid: true,
    pays: false,
    make: (event, secret) => signEvent({ ...event, type: "payin.refunded_partially" }, secret),
  },
  {
    rule: "unknown_type_refused",
    what: say`additional members`,
    isValid: true,
    make: (event, secret) => {
      const data = { ...event.data, settlement: { batch: "b-1", fee: 0.1 }, tags: ["new"] };
      return signEvent({ ...event, data, version: 2 } as WebhookEvent, secret);
    },
  },
];

/** A webhook whose signature does not hold. */
function forged(what: Message, make: Probe["make"]): Probe {
  return { rule: "bad_signature_accepted", what, isValid: false, make };
}

/** A webhook whose signature holds, though a handler may not know it in this form. */
function genuine(what: Message, make: Probe["make"]): Probe {
  return { rule: "valid_signature_refused", what, isValid: true, make };
}

/** How much of a signature is left: `v1,` and half of the base64. */
const HALF = 25;

function cutSignature(webhook: SignedWebhook, length: number): SignedWebhook {
  return { ...webhook, signature: webhook.signature.slice(0, length) };
}

/** Signs with two secrets, as during a rotation. Both signatures are of one moment. */
function signTwice(event: WebhookEvent, first: string, second: string): SignedWebhook {
  const webhook = signEvent(event, first);
  const { id, timestamp, body, signature } = webhook;
  return { ...webhook, signature: `${signature} ${sign(asSecret(second), id, timestamp, body)}` };
}

/** Judges a probe by an order of the merchant, whatever the response to a forged one is. */
export function toExperiment({ rule, what, isValid, pays = isValid, make }: Probe): Experiment {
  return {
    rule,
    what,
    ...(pays ? { lateRule: "duplicate_acts_twice" } : { expected: UNMOVED }),
    run: async function* (trial) {
      const order = await trial.open();
      const outcome = await trial.send(make(order.event, order.secret));
      const seen = describeOutcome(outcome);
      if (isValid && outcome.status === null) throw new Unseen(noResponse(what, outcome));
      if (isValid && !isAccepted(outcome)) return say`Sent ${what}: ${seen}.`;
      yield;
      if (!pays) return trial.moveFrom(order.before, order);
      if ((await trial.moved(order)) !== order.before) return undefined;
      return say`Sent ${what}: ${seen}. The effect did not change.`;
    },
  };
}

export function noResponse(what: Message, { error }: Outcome): Message {
  return say`The handler did not respond to ${what}: ${error ?? ""}.`;
}
