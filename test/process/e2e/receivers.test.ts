import { beforeAll, describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { freePort } from "../../support/process.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import {
  type Answer,
  type Answering,
  type Received,
  startMerchant,
  verified,
} from "../../support/merchant.ts";

type Ladder = "laptop" | "production";

/** A merchant's web server, and what becomes of a webhook that is sent to it. */
interface Receiver {
  readonly title: string;
  /** Undefined where nothing listens. */
  readonly answer: Answer | Answering | undefined;
  /** The assumptions that hold for its integration. */
  readonly choices?: Readonly<Record<string, string | number>>;
  readonly status: "delivered" | "failed";
  /** What each attempt records, beside when it was and what it sent. */
  readonly records: object;
  /** When attempts are made, in seconds since the event; one that takes real time has no days to play. */
  readonly at: Partial<Record<Ladder, readonly number[]>>;
}

const ONCE = { laptop: [0], production: [0] };
/** To the end of each ladder; that of production takes 75 h 35 min 5 s. */
const ALL = {
  laptop: [0, 1, 6, 31],
  production: [0, 5, 305, 2105, 9305, 27_305, 63_305, 113_705, 185_705, 272_105],
};
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** Longer than anything here takes. */
const MONTH_SECONDS = 30 * DAY_SECONDS;
const TEN_MEGABYTES = "x".repeat(10_000_000);
const KEPT = "x".repeat(16 * 1024);

const RECEIVERS: readonly Receiver[] = [
  ...[200, 201].map((status) => ({
    title: `answers ${status}`,
    answer: { status, body: "thanks" },
    status: "delivered" as const,
    records: { status, response: "thanks" },
    at: ONCE,
  })),
  {
    title: "answers 204",
    answer: 204,
    status: "delivered",
    records: { status: 204, response: "" },
    at: ONCE,
  },
  ...[301, 302, 307].map((status) => ({
    title: `redirects with ${status}`,
    answer: { status, headers: { location: "/elsewhere" }, body: "over there" },
    status: "failed" as const,
    records: { status, location: "/elsewhere", response: "over there" },
    at: ALL,
  })),
  ...[400, 404, 500].map((status) => ({
    title: `answers ${status}`,
    answer: { status, body: "no" },
    status: "failed" as const,
    records: { status, response: "no" },
    at: ALL,
  })),
  {
    title: "answers 410",
    answer: { status: 410, body: "gone" },
    status: "failed",
    records: { status: 410, response: "gone" },
    at: ONCE,
  },
  {
    title: "answers 429",
    answer: 429,
    status: "failed",
    records: { status: 429, response: "" },
    at: ALL,
  },
  {
    title: "answers 429 and asks for ten minutes",
    answer: { status: 429, headers: { "retry-after": "600" } },
    status: "failed",
    records: { status: 429, response: "", retry_after_seconds: 600 },
    at: {
      laptop: [0, 600, 1200, 1800],
      production: [0, 600, 1200, 3000, 10_200, 28_200, 64_200, 114_600, 186_600, 273_000],
    },
  },
  {
    title: "answers 429 and asks for a week, of which it is given a day",
    answer: { status: 429, headers: { "retry-after": String(7 * DAY_SECONDS) } },
    status: "failed",
    records: { status: 429, response: "", retry_after_seconds: 7 * DAY_SECONDS },
    at: {
      laptop: ALL.laptop.map((_, index) => index * DAY_SECONDS),
      production: ALL.production.map((_, index) => index * DAY_SECONDS),
    },
  },
  {
    title: "answers 429 and asks for a time that has passed",
    answer: { status: 429, headers: { "retry-after": "Sat, 29 Feb 2020 12:00:00 GMT" } },
    status: "failed",
    records: { status: 429, response: "", retry_after_seconds: 0 },
    at: ALL,
  },
  {
    title: "answers 200 and 10 MB",
    answer: { status: 200, body: TEN_MEGABYTES },
    status: "delivered",
    records: { status: 200, response: KEPT },
    at: ONCE,
  },
  {
    title: "answers 500 and 10 MB",
    answer: { status: 500, body: TEN_MEGABYTES },
    status: "failed",
    records: { status: 500, response: KEPT },
    at: ALL,
  },
  {
    title: "resets the connection",
    answer: "reset",
    status: "failed",
    records: { error: expect.stringMatching(/ECONNRESET/) },
    at: ALL,
  },
  {
    title: "answers something that is not HTTP",
    answer: "nonsense",
    status: "failed",
    records: { error: expect.stringMatching(/Parse Error/) },
    at: ALL,
  },
  {
    title: "does not listen",
    answer: undefined,
    status: "failed",
    records: { error: expect.stringMatching(/^ECONNREFUSED \[::1\]:\d+$/) },
    at: ALL,
  },
  {
    title: "does not answer in time",
    answer: "hold",
    choices: { "webhook.timeout_seconds": 1 },
    status: "failed",
    records: { error: "no answer within 1 s" },
    at: { laptop: ALL.laptop },
  },
  {
    title: "answers a byte a second",
    answer: "drip",
    // Each byte comes well before the time is over, so that only the whole can be what takes too long.
    choices: { "webhook.timeout_seconds": 2, "webhook.retries": "none" },
    status: "failed",
    records: { error: "no answer within 2 s" },
    at: { laptop: [0] },
  },
];

/** Asks for an hour, by a date. */
const DATED: Receiver = {
  title: "answers 429 and names the time",
  answer: () => {
    const inAnHour = new Date(Date.now() + HOUR_SECONDS * 1000).toUTCString();
    return { status: 429, headers: { "retry-after": inAnHour } };
  },
  status: "failed",
  records: { status: 429, response: "", retry_after_seconds: expect.any(Number) },
  at: ALL,
};

describe.each(["laptop", "production"] as const)(
  "by the ladder %s, a receiver that",
  { timeout: 60_000 },
  (ladder) => {
    const rows = RECEIVERS.filter(({ at }) => at[ladder]);
    let told: ReadonlyMap<string, Told>;

    beforeAll(async () => {
      told = await play(ladder, [...rows, DATED]);
    }, 60_000);

    it.each(rows)(
      "$title receives so many attempts, and each is recorded",
      ({ title, ...expected }) => {
        const { delivery, attempts } = toldTo(told, title);

        expect(delivery).toMatchObject({ status: expected.status, next_attempt_at: null });
        expect(attempts.map(({ afterMs }) => afterMs / 1000)).toEqual(expected.at[ladder]);
        expect(attempts.map(({ attempt }) => attempt)).toEqual(delivery.attempts);
        expect(delivery.attempts.map(toRecorded)).toEqual(
          attempts.map(() => ({ ...expected.records, fault: null })),
        );
      },
    );

    it.each(rows)("$title receives the same bytes each time, with a valid signature", (row) => {
      const { delivery, received, secret } = toldTo(told, row.title);
      const sent = delivery.attempts.map(({ headers }) => ({
        method: "POST",
        path: "/hook",
        headers,
        body: delivery.body,
      }));

      for (const one of sent) expect(verified(one, secret).id).toBe(delivery.id);
      // A redirect that was followed would be one more, of another path.
      expect(received).toMatchObject(row.answer === undefined ? [] : sent);
    });

    it("names the time of the next attempt receives it then", () => {
      const { delivery, attempts } = toldTo(told, DATED.title);
      const asked = delivery.attempts.map((attempt) => attempt.retry_after_seconds ?? 0);
      expect(attempts).toHaveLength(ALL[ladder].length);
      for (const seconds of asked) {
        // As much less than an hour as the answer took to arrive, and the date's resolution.
        expect(seconds).toBeGreaterThan(HOUR_SECONDS / 2);
        expect(seconds).toBeLessThanOrEqual(HOUR_SECONDS);
      }

      const waits = ALL[ladder].slice(1).map((at, index) => at - (ALL[ladder][index] ?? 0));
      const waited = attempts
        .slice(1)
        .map(({ afterMs }, index) => afterMs - (attempts[index]?.afterMs ?? 0));
      expect(waited).toEqual(
        waits.map((seconds, index) => Math.round(Math.max(seconds, asked[index] ?? 0) * 1000)),
      );
    });
  },
);

/** What a receiver was told, and what was written down of it. */
interface Told {
  readonly delivery: Shown;
  /** As the clock told of them when it moved, and how long after the event that was in the sandbox's time. */
  readonly attempts: readonly { readonly afterMs: number; readonly attempt: Attempt }[];
  readonly received: readonly Received[];
  readonly secret: string;
}

type Attempt = Shown["attempts"][number];

interface TimedEvent {
  readonly at: string;
  readonly kind: string;
  readonly data: Shown & { readonly created_at: string; readonly attempt: Attempt };
}

/** Lets a charge of each receiver expire, and a month pass in one move of a frozen clock. */
async function play(
  ladder: Ladder,
  receivers: readonly Receiver[],
): Promise<ReadonlyMap<string, Told>> {
  await using sandbox = await startServe([
    "--memory",
    "--clock=frozen",
    `--assume=webhook.retries=${ladder}`,
    "--assume=payin.expiry_event=webhook",
  ]);
  const merchants = await Promise.all(
    receivers.map(async ({ answer }) =>
      answer === undefined ? undefined : await startMerchant({ answer }),
    ),
  );
  try {
    for (const [index, { title, choices = {} }] of receivers.entries()) {
      const calls = callsTo(sandbox.url, title);
      await calls.gateway("PATCH", "/_sandbox/assumptions", choices);
      await calls.createPayin({ webhook_url: merchants[index]?.url ?? (await nowhere()) });
    }
    const calls = callsTo(sandbox.url);
    const { happened } = await calls.control<{ happened: readonly TimedEvent[] }>(
      "POST",
      "/clock/advance",
      { seconds: MONTH_SECONDS },
    );
    const deliveries = await calls.deliveries();
    const told = deliveries.map(async (delivery): Promise<[string, Told]> => {
      const attempts = happened
        .filter(({ kind, data }) => kind === "attempt" && data.id === delivery.id)
        .map(({ at, data }) => ({
          afterMs: Date.parse(at) - Date.parse(data.created_at),
          attempt: data.attempt,
        }));
      const merchant =
        merchants[receivers.findIndex(({ title }) => title === delivery.integration)];
      const isOwn = ({ headers }: Received): boolean => headers["webhook-id"] === delivery.id;
      // One that was given up in haste may come to be read a little later.
      await merchant?.waitFor(attempts.length, isOwn);
      // Another test may still send to whoever had the merchant's port before.
      const received = merchant?.received.filter(isOwn) ?? [];
      return [delivery.integration, { delivery, attempts, received, secret: sandbox.secret }];
    });
    return new Map(await Promise.all(told));
  } finally {
    for (const merchant of merchants) await merchant?.close();
  }
}

/** An address where nothing listens. */
async function nowhere(): Promise<string> {
  return `http://[::1]:${await freePort()}/hook`;
}

function toldTo(told: ReadonlyMap<string, Told>, title: string): Told {
  const one = told.get(title);
  if (!one) throw new Error(`A receiver that ${title} was told nothing.`);
  return one;
}

/** What an attempt records of the answer. */
function toRecorded({
  at: _at,
  sandbox_at: _sandboxAt,
  duration_ms: _ms,
  headers: _headers,
  ...answer
}: Attempt): object {
  return answer;
}
