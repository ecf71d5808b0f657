import type { AssumptionName } from "../core/assumptions/table.ts";
import { BUYER, RECEIVER } from "../wire/sample.ts";
import { type Message, say } from "../text/message.ts";
import { type Exchange, idIn, isRefused, refusedFields } from "./exchange.ts";

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
  readonly body?: (drawn: Drawn, before: readonly Exchange[]) => Readonly<Record<string, unknown>>;
  /** Headers that differ from the caller's; `null` is not sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Calls with the same name share their idempotency key. Default: a new key. */
  readonly key?: string;
  /** Of a simulation: the step that created the transaction. Without it: an unknown one. */
  readonly of?: number;
  /** Of the first step: when to send it, counted from the start of the run. */
  readonly startSeconds?: number;
  /** When to send it, counted from the first step. */
  readonly afterSeconds?: (range: AutoRange) => number;
  /** Whether the steps before leave something open. If not, the experiment ends. */
  readonly isWanted?: (before: readonly Exchange[]) => boolean;
  /** Whether it has a token that does not exist. */
  readonly isStranger?: boolean;
  /** The rows that this response tells. Of other responses a row reads only whether they succeed. */
  readonly tells?: readonly AssumptionName[];
  /** Whether its success tells something, but no member of the response. */
  readonly isAboutSuccess?: boolean;
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
  /**
   * Repeats its step until a call is too much, or {@link MOST_PER_MINUTE} within a minute were not. Begins when only
   * webhooks are waited for: any other call would then have to wait.
   */
  readonly isBurst?: boolean;
  /** Absent if it needs no webhooks. */
  readonly receives?: Receiving;
  /** Whether the experiments before leave something open. */
  readonly isWanted?: (known: Known) => boolean;
}

/** What an experiment can depend on. */
export interface Known {
  readonly auto: AutoRange;
  readonly isLimited: boolean;
  /** Whether a payin with this member was accepted together with other unusual ones. */
  readonly isAccepted: (member: string, value: unknown) => boolean;
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

const withEvp = (name: string): Pick<Step, "body"> => ({
  body: ({ uuid }) => ({ pix_key_type: "evp", pix_key: uuid(name) }),
});

const ofVersion1 = (uuid: string): string => uuid.replace(/-4(?=...-)/, "-1");

const withImage = () => ({ generate_qrcode: true });

/** Looks whether a payout has completed by itself: then it cannot be canceled. Otherwise nothing of it is left. */
const look = (afterSeconds: Step["afterSeconds"]): Step =>
  simulate("payout", "canceled", {
    of: 0,
    ...(afterSeconds && { afterSeconds }),
    ...telling("payout.auto"),
  });

/** When the payouts that are made anyway are looked at: a whole number of seconds shows between two looks. */
const LOOKS_S = [3.5, 10.5, PATIENCE_S + 0.5] as const;

/** Divides the seconds that earlier looks leave open. */
const middle = ({ from, to }: AutoRange): number =>
  to === Number.POSITIVE_INFINITY ? LOOKS_S[2] : Math.floor((from + to) / 2) + 0.5;

/** Two payouts, whether the second one is still in progress, and, later, the first one. */
const rivals = (
  tells: readonly AssumptionName[],
  afterSeconds: Step["afterSeconds"],
  first: Omit<Step, "call"> = {},
  second: Omit<Step, "call"> = {},
): readonly Step[] => [
  payout({ isSpecified: true, ...first }),
  payout({ tells, ...second }),
  simulate("payout", "completed", { of: 1, isAboutSuccess: true }),
  look(afterSeconds),
];

/** Members of payins that some gateways refuse. One payin with all of them tells as much as one of each. */
const ODD = {
  value: 10.5,
  buyer_cpf: "12345678900",
  buyer_email: `${"a".repeat(60)}@pix-sandbox-probe.example.com`,
  probe_note: "x",
};

/** Those that no response before has refused. */
const oddLeft = (before: readonly Exchange[]): Partial<typeof ODD> => {
  const refused = before.flatMap(({ response }) => refusedFields(response));
  return Object.fromEntries(Object.entries(ODD).filter(([name]) => !refused.includes(name)));
};

/** A payin with one of them, unless it was accepted together with others. */
const odd = (member: keyof typeof ODD, row: AssumptionName): Omit<Experiment, "says"> => ({
  steps: [payin({ body: () => ({ [member]: ODD[member] }), ...telling(row) })],
  isWanted: ({ isAccepted }) => !isAccepted(member, ODD[member]),
});

/** Whether the last response was a refusal of some of them, and not of all that are left. */
const isNarrower = (before: readonly Exchange[]): boolean => {
  const left = Object.keys(oddLeft(before)).length;
  const isLess = left < Object.keys(oddLeft(before.slice(0, -1))).length;
  return isRefused(before.at(-1)) && left > 0 && isLess;
};

/**
 * Every experiment. The first one shows whether the address is production, and runs alone.
 *
 * Without webhooks, at most 30 calls count for a rate limit before `burst`: with a usual limit, none waits.
 *
 * What a response tells is not written here: it is compared with the responses of a sandbox under each choice.
 */
export const EXPERIMENTS: Readonly<Record<string, Experiment>> = {
  simulation: {
    says: say`A payin without generate_qrcode is simulated, then again; then an unknown one.`,
    steps: [
      payin({
        body: () => ({ generate_qrcode: undefined }),
        isSpecified: true,
        ...telling("payin.generate_qrcode", "qr_code_base64.form"),
      }),
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
    steps: rivals(["payout.rival"], () => LOOKS_S[0]),
  },
  same_cpf: {
    says: say`Two payouts to one CPF with two keys; the second is simulated.`,
    steps: rivals(["payout.recipient"], () => LOOKS_S[1], withEvp("a"), {
      isAboutSuccess: true,
      ...withEvp("b"),
    }),
  },
  same_key: {
    says: say`Two payouts to one key with two CPFs; the second is simulated.`,
    // The second look comes before the time of this one.
    steps: rivals(
      ["payout.recipient"],
      middle,
      { startSeconds: 6 },
      { isAboutSuccess: true, body: ({ cpf }) => ({ receiver_cpf: cpf("other") }) },
    ),
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
  country: {
    says: say`A payin for another country than Brazil.`,
    steps: [
      payin({
        headers: { "x-country-code": "US" },
        isSpecified: true,
        ...telling("country_code"),
      }),
    ],
  },
  odd: {
    says: say`A payin with several unusual members. If it is refused: again, without those that the response names.`,
    steps: Object.keys(ODD).map((_, index) =>
      payin({
        body: (_drawn, before) => oddLeft(before),
        ...(index > 0 && { isWanted: isNarrower }),
        isAboutSuccess: true,
        ...telling("value.unit", "cpf.check", "email.size", "unknown_field"),
      }),
    ),
  },
  value: {
    says: say`A payin with a value of 10.5, unless that was accepted.`,
    ...odd("value", "value.unit"),
  },
  cpf: {
    says: say`A payin with a CPF whose check digits are wrong, unless that was accepted.`,
    ...odd("buyer_cpf", "cpf.check"),
  },
  email: {
    says: say`A payin with an e-mail address of 90 characters, unless that was accepted.`,
    ...odd("buyer_email", "email.size"),
  },
  unknown_field: {
    says: say`A payin with a member that is not documented, unless that was accepted.`,
    ...odd("probe_note", "unknown_field"),
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
    says: say`A payin with generate_qrcode, the same again with its key, another one with that key; the first again after ${PATIENCE_S} s. Then it is simulated as canceled.`,
    steps: [
      payin({ key: "one", body: withImage, ...telling("qr_code_base64.form") }),
      payin({ key: "one", body: withImage, ...telling("idempotency.repeat") }),
      payin({
        key: "one",
        body: () => ({ ...withImage(), value: 11 }),
        ...telling("idempotency.mismatch"),
      }),
      payin({
        key: "one",
        body: withImage,
        afterSeconds: () => PATIENCE_S,
        ...telling("idempotency.retention_seconds"),
      }),
      simulate("payin", "canceled", { of: 0, ...telling("payin.simulation_status") }),
    ],
  },
  phone: {
    says: say`A payout to a phone key of 14 characters, and one of 13.`,
    steps: ["+55119", "+1119"].map((start) =>
      withKey("phone", ({ cpf }) => start + cpf(start).slice(0, 8)),
    ),
  },
  evp: {
    says: say`A payout to an evp key of version 1 in upper case. If it is refused: one to a key in upper case, and one to a key of version 1.`,
    steps: [
      withKey("evp", ({ uuid }) => ofVersion1(uuid("both")).toUpperCase()),
      ...[
        withKey("evp", ({ uuid }) => uuid("upper").toUpperCase()),
        withKey("evp", ({ uuid }) => ofVersion1(uuid("v1"))),
      ].map((step) => ({ ...step, isWanted: ([both]: readonly Exchange[]) => isRefused(both) })),
    ],
  },
  ...Object.fromEntries(
    // The looks before leave at most four numbers of seconds open, and each divides what is left.
    [14.5, 25].map((startSeconds, index) => [
      `auto_${index + 1}`,
      {
        says: say`A payout is looked at after 1.5 to 9.5 s, if the looks before leave the number of seconds open.`,
        steps: [payout({ startSeconds }), look(middle)],
        isWanted: ({ auto: { from, to }, isLimited }: Known) =>
          !isLimited && from < to && to <= LOOKS_S[1],
      },
    ]),
  ),
  burst: {
    says: say`Unknown payins are simulated until a call is refused, or ${MOST_PER_MINUTE} within a minute were not.`,
    steps: [simulate("payin", "completed", telling("rate_limit.per_minute"))],
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

/** The whole body of a step's call. @param before the earlier steps */
export function bodyOf(
  { call, body, of }: Step,
  drawn: Drawn,
  webhookUrl: string,
  before: readonly Exchange[],
): Readonly<Record<string, unknown>> {
  const members = body?.(drawn, before);
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
        transaction_id:
          of === undefined ? drawn.uuid("unknown") : (idIn(before[of]?.response.body ?? "") ?? ""),
        ...members,
      };
  }
}
