import type { AssumptionName } from "../core/assumptions/table.ts";
import { BUYER, RECEIVER } from "../wire/sample.ts";
import { type Message, say } from "../text/message.ts";

/** Draws values of a run: the same name in the same experiment gives the same value, also after an interruption. */
export interface Drawn {
  /** A CPF with valid check digits. */
  readonly cpf: (name: string) => string;
  /** A version 4 UUID in lower case. */
  readonly uuid: (name: string) => string;
}

/** One call of an experiment. Without more it is valid under every choice. */
export interface Step {
  readonly call: keyof typeof OPERATIONS;
  /** Members that differ from the sample; `undefined` is not sent. */
  readonly body?: (drawn: Drawn) => Readonly<Record<string, unknown>>;
  /** Headers that differ from the caller's; `null` is not sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Calls with the same name share their idempotency key. Default: a new key. */
  readonly key?: string;
  /** Of a simulation: the step that created the transaction. Without it, or if that was refused: an unknown one. */
  readonly of?: number;
  /** Of the first step: when to send it, counted from the start of the run. */
  readonly startSeconds?: number;
  /** When to send it, counted from the first step. */
  readonly afterSeconds?: number;
  /** Whether it has a token that does not exist. */
  readonly isStranger?: boolean;
  /** The rows that this response tells. Of other responses a row reads only whether they succeed. */
  readonly tells?: readonly AssumptionName[];
  /** Whether the specification shows the whole response. */
  readonly isSpecified?: boolean;
}

/** What the receiver does with the webhooks of an experiment. */
export interface Receiving {
  /** `nothing`: it does not respond. */
  readonly respond: number | "nothing";
  /** How long to wait for webhooks after the last step. */
  readonly seconds: number;
}

/** Calls that tell the choices of some rows apart. Experiments do not affect each other. */
export interface Experiment {
  readonly says: Message;
  readonly steps: readonly Step[];
  /** Repeats its last step until a call is too much, or {@link MOST_PER_MINUTE} within a minute were not. */
  readonly isBurst?: boolean;
  /** Absent if it needs no webhooks. */
  readonly receives?: Receiving;
  /** Whether it can tell more, given when payouts complete by themselves. Such an experiment is left out if a rate limit is met. */
  readonly isWanted?: (range: AutoRange) => boolean;
}

/** Between which whole numbers of seconds payouts complete by themselves; `to` is infinite if no look showed one. */
export interface AutoRange {
  readonly from: number;
  readonly to: number;
}

/** The documented operations; no other is called. */
export const OPERATIONS = {
  payin: { path: "/payins", isKeyed: true },
  payout: { path: "/payouts", isKeyed: true },
  simulate_payin: { path: "/payins/simulations", isKeyed: false },
  simulate_payout: { path: "/payouts/simulations", isKeyed: false },
} as const;

/** More counted calls within a minute than this are not made to look for a rate limit. */
export const MOST_PER_MINUTE = 60;
/** The longest wait without webhooks: longer automatic changes are not seen. */
export const PATIENCE_S = 30;
/** The last retry of the default schedule comes after 31 s. */
const RETRY_PATIENCE_S = 36;
const HANG_PATIENCE_S = 35;
const SHORTEST_EXPIRATION_S = 20;

const payin = (more: Omit<Step, "call"> = {}): Step => ({ call: "payin", ...more });
const payout = (more: Omit<Step, "call"> = {}): Step => ({ call: "payout", ...more });
const telling = (...tells: readonly AssumptionName[]) => ({ tells });
const simulate = (
  noun: "payin" | "payout",
  status: "completed" | "canceled",
  more: Omit<Step, "call" | "body">,
): Step => ({ call: `simulate_${noun}`, body: () => ({ status }), ...more });

/** A Pix key of one type for a payout to a CPF of its own: it has no rival. */
const withKey = (type: string, key: (drawn: Drawn) => string): Step =>
  payout({
    body: (drawn) => ({
      pix_key_type: type,
      pix_key: key(drawn),
      receiver_cpf: drawn.cpf(key(drawn)),
    }),
    tells: [type === "phone" ? "phone.size" : "evp.form"],
  });

/** Looks whether a payout has completed by itself: then it cannot be canceled. Otherwise nothing of it is left. */
const look = (afterSeconds: number): Step =>
  simulate("payout", "canceled", { of: 0, afterSeconds, ...telling("payout.auto") });

/** When the first payouts of rivals are looked at, in seconds: a whole number of seconds shows between two looks. */
const LOOKS_S = [3.5, 10.5, PATIENCE_S + 0.5] as const;

/** Two payouts, whether the second one is still in progress, and, later, the first one. */
const rivals = (
  tells: readonly AssumptionName[],
  lookS: number,
  first?: Step["body"],
  second?: Step["body"],
): readonly Step[] => [
  payout({ ...(first && { body: first }), isSpecified: true }),
  payout({ ...(second && { body: second }), tells }),
  simulate("payout", "completed", { of: 1 }),
  look(lookS),
];

/**
 * Every experiment. The first one shows whether the address is production, and runs alone.
 *
 * What a response tells is not written here: it is compared with the responses of a sandbox under each choice.
 */
export const EXPERIMENTS: Readonly<Record<string, Experiment>> = {
  simulation: {
    says: say`A payin is simulated, then again; then an unknown one.`,
    steps: [
      payin({ isSpecified: true }),
      simulate("payin", "completed", {
        of: 0,
        tells: ["environment", "simulation.message"],
        isSpecified: true,
      }),
      simulate("payin", "completed", { of: 0, ...telling("simulation.final") }),
      simulate("payin", "completed", telling("simulation.final")),
    ],
  },
  rival: {
    says: say`Two payouts to one recipient; the second is simulated.`,
    steps: rivals(["payout.rival"], LOOKS_S[0]),
  },
  same_cpf: {
    says: say`Two payouts to one CPF with two keys; the second is simulated.`,
    steps: rivals(["payout.recipient"], LOOKS_S[1], ...keysOf("a", "b")),
  },
  same_key: {
    says: say`Two payouts to one key with two CPFs; the second is simulated.`,
    steps: rivals(["payout.recipient"], LOOKS_S[2], undefined, ({ cpf }) => ({
      receiver_cpf: cpf("other"),
    })),
  },
  refusal: {
    says: say`A payin without a name, with an empty e-mail address and with a description that is too long.`,
    steps: [
      payin({
        body: () => ({ buyer_name: undefined, buyer_email: "", description: "x".repeat(141) }),
        isSpecified: true,
      }),
    ],
  },
  value: {
    says: say`A payin with a value of 10.5.`,
    steps: [payin({ body: () => ({ value: 10.5 }), ...telling("value.unit") })],
  },
  country: {
    says: say`A payin for another country than Brazil.`,
    steps: [payin({ headers: { "x-country-code": "US" }, ...telling("country_code") })],
  },
  cpf: {
    says: say`A payin with a CPF whose check digits are wrong.`,
    steps: [payin({ body: () => ({ buyer_cpf: "12345678900" }), ...telling("cpf.check") })],
  },
  email: {
    says: say`A payin with an e-mail address of 90 characters.`,
    steps: [
      payin({
        body: () => ({ buyer_email: `${"a".repeat(60)}@pix-sandbox-probe.example.com` }),
        ...telling("email.size"),
      }),
    ],
  },
  unknown_field: {
    says: say`A payin with a member that is not documented.`,
    steps: [payin({ body: () => ({ probe_note: "x" }), ...telling("unknown_field") })],
  },
  image: {
    says: say`A payin without generate_qrcode, and one with it.`,
    steps: [
      payin({ body: () => ({ generate_qrcode: undefined }), ...telling("payin.generate_qrcode") }),
      payin({ body: () => ({ generate_qrcode: true }), ...telling("qr_code_base64.form") }),
    ],
  },
  header: {
    says: say`A payin without a header, and one with an empty header and without another.`,
    steps: [
      payin({ headers: { "x-provider": null }, ...telling("header.missing") }),
      payin({ headers: { "x-provider": null, "x-provider-id": "" }, ...telling("header.missing") }),
    ],
  },
  credentials: {
    says: say`A payin with a token that does not exist.`,
    steps: [payin({ isStranger: true, ...telling("credentials") })],
  },
  keys: {
    says: say`A payin, the same again with its key, another one with that key; the first again after ${PATIENCE_S} s. Then it is simulated as canceled.`,
    steps: [
      payin({ key: "one" }),
      payin({ key: "one", ...telling("idempotency.repeat") }),
      payin({ key: "one", body: () => ({ value: 11 }), ...telling("idempotency.mismatch") }),
      payin({
        key: "one",
        afterSeconds: PATIENCE_S,
        ...telling("idempotency.retention_seconds"),
      }),
      simulate("payin", "canceled", { of: 0, ...telling("payin.simulation_status") }),
    ],
  },
  phone: {
    says: say`A payout to a phone key of 14 characters, and one of 13.`,
    steps: [withKey("phone", () => "+5511987654321"), withKey("phone", () => "+111987654321")],
  },
  evp: {
    says: say`A payout to an evp key in upper case, and one of version 1.`,
    steps: [
      withKey("evp", ({ uuid }) => uuid("upper").toUpperCase()),
      withKey("evp", ({ uuid }) => uuid("v1").replace(/-4(?=...-)/, "-1")),
    ],
  },
  ...Object.fromEntries(
    // The first two looks leave several numbers of seconds open.
    [1, 2, 4, 5, 6, 7, 8, 9].map((seconds) => [
      `auto_${seconds}`,
      {
        says: say`A payout is looked at after ${seconds + 0.5} s, if the looks before leave that open.`,
        steps: [payout({ startSeconds: 20 }), look(seconds + 0.5)],
        isWanted: ({ from, to }: AutoRange) => from <= seconds && seconds < to && to <= LOOKS_S[1],
      },
    ]),
  ),
  burst: {
    says: say`Unknown payins are simulated until a call is refused, or ${MOST_PER_MINUTE} within a minute were not.`,
    steps: [
      simulate("payin", "completed", {
        startSeconds: PATIENCE_S + 12,
        ...telling("rate_limit.per_minute"),
      }),
    ],
    isBurst: true,
  },
  webhook: {
    says: say`The webhook of a paid payin gets the response 201.`,
    steps: [
      payin(),
      simulate("payin", "completed", {
        of: 0,
        ...telling("webhook.payload", "webhook.signature", "webhook.success"),
      }),
    ],
    receives: { respond: 201, seconds: 8 },
  },
  webhook_completed: {
    says: say`The webhook of a completed payout.`,
    steps: [payout(), simulate("payout", "completed", { of: 0, ...telling("webhook.payload") })],
    receives: { respond: 200, seconds: 3 },
  },
  webhook_canceled: {
    says: say`The webhook of a canceled payout.`,
    steps: [payout(), simulate("payout", "canceled", { of: 0, ...telling("webhook.payload") })],
    receives: { respond: 200, seconds: 3 },
  },
  webhook_refused: {
    says: say`The webhook of a paid payin gets the response 500.`,
    steps: [
      payin(),
      simulate("payin", "completed", { of: 0, ...telling("webhook.retries", "webhook.success") }),
    ],
    receives: { respond: 500, seconds: RETRY_PATIENCE_S },
  },
  webhook_hanging: {
    says: say`The webhook of a paid payin gets no response.`,
    steps: [
      payin(),
      simulate("payin", "completed", { of: 0, ...telling("webhook.timeout_seconds") }),
    ],
    receives: { respond: "nothing", seconds: HANG_PATIENCE_S },
  },
  webhook_expired: {
    says: say`A payin expires after ${SHORTEST_EXPIRATION_S} s.`,
    steps: [
      payin({
        body: () => ({ expiration: SHORTEST_EXPIRATION_S }),
        ...telling("payin.expiry_event"),
        isSpecified: true,
      }),
    ],
    receives: { respond: 200, seconds: SHORTEST_EXPIRATION_S + 8 },
  },
  webhook_auto: {
    says: say`A payout is left alone.`,
    steps: [payout(telling("payout.auto"))],
    receives: { respond: 200, seconds: PATIENCE_S },
  },
};

function keysOf(...names: readonly [string, string]): [Step["body"], Step["body"]] {
  const [first, second] = names.map((name): Step["body"] => ({ uuid }) => ({
    pix_key_type: "evp",
    pix_key: uuid(name),
  }));
  return [first, second];
}

/** The whole body of a step's call. @param idOf the transaction of an earlier step */
export function bodyOf(
  { call, body, of }: Step,
  drawn: Drawn,
  webhookUrl: string,
  idOf: (step: number) => string | undefined,
): Readonly<Record<string, unknown>> {
  const members = body?.(drawn);
  const cpf = drawn.cpf("own");
  switch (call) {
    case "payin":
      return {
        ...BUYER,
        value: 10,
        buyer_cpf: cpf,
        webhook_url: webhookUrl,
        generate_qrcode: false,
        ...members,
      };
    case "payout":
      return {
        ...RECEIVER,
        value: 10,
        receiver_cpf: cpf,
        pix_key: cpf,
        webhook_url: webhookUrl,
        ...members,
      };
    case "simulate_payin":
    case "simulate_payout":
      return {
        transaction_id: (of === undefined ? undefined : idOf(of)) ?? drawn.uuid("unknown"),
        ...members,
      };
  }
}
