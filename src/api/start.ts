import { type SandboxOptions, startSandbox as startServer } from "../sandbox.ts";
import { Client } from "./client.ts";
import type { ClockReading, Duration } from "./records.ts";
import { type Integration, view, type View, viewIntegration } from "./view.ts";

/**
 * A gateway that runs in this process. Of everyone's records, where an integration is not named; what it
 * creates is the integration's with the token `sandbox`. After `close()` every call is a SandboxClosedError.
 */
export interface Sandbox extends View, AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  /** The gateway's version-1 base address, for the client under test. */
  readonly baseUrl: string;
  readonly port: number;
  /** What signs the webhooks. */
  readonly secret: string;
  /** What every id is drawn from. */
  readonly seed: string;
  readonly clock: SandboxClock;
  /** The headers of a gateway call, with an idempotency key that is new at each call. */
  headers(token?: string): Record<string, string>;
  /** The view of one `x-api-token`; parallel tests take one each. */
  integration(token: string): Integration;
  /**
   * Answers as `fetch` would, without a socket; a path stands below `url`.
   * @throws TypeError as `fetch` does where a fault loses the answer.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Answers what is under way, lets attempts in flight end, and leaves nothing behind; the second time it is the first again. */
  close(): Promise<void>;
}

/** The sandbox's time, which is that of all integrations. A move resolves when all that fell due has happened. */
export interface SandboxClock {
  readonly mode: "real" | "frozen";
  nowMs(): number;
  advance(by: Duration): Promise<ClockReading>;
  /** Time does not go back. */
  set(to: Date | string): Promise<ClockReading>;
  freeze(): Promise<ClockReading>;
  resume(): Promise<ClockReading>;
}

/**
 * Starts a gateway in this process: state in memory, a free port and the real clock, unless options say otherwise.
 * @throws Error with the code EADDRINUSE for a busy port; for options that cannot hold, RangeError, FixtureError,
 * StateFileError or StateInUseError with a sentence that says which.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const server = await startServer(options);
  const client = new Client(
    (path, init) => server.fetch(path, init),
    (token) => server.headers(token),
  );
  return {
    ...view(client),
    url: server.url,
    baseUrl: server.baseUrl,
    port: server.port,
    secret: server.secret,
    seed: server.seed,
    clock: clockOf(client, server.clock),
    headers: (token) => server.headers(token),
    integration: (token) => viewIntegration(client, token),
    fetch: (input, init) => server.fetch(input, init),
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function clockOf(
  client: Client,
  clock: { readonly mode: "real" | "frozen"; nowMs(): number },
): SandboxClock {
  const move = (verb: string, body?: unknown): Promise<ClockReading> =>
    client.control<ClockReading>("POST", `/clock/${verb}`, body);
  return {
    get mode() {
      return clock.mode;
    },
    nowMs: () => clock.nowMs(),
    advance: async (by) => move("advance", { seconds: toSeconds(by) }),
    set: (to) => move("set", { now: to instanceof Date ? to.toISOString() : to }),
    freeze: () => move("freeze"),
    resume: () => move("resume"),
  };
}

const SECONDS: Readonly<Record<string, number | undefined>> = {
  days: 86_400,
  hours: 3600,
  minutes: 60,
  seconds: 1,
  milliseconds: 0.001,
} satisfies Record<keyof Duration, number>;

/** @throws RangeError for a unit that is none. */
function toSeconds(by: Duration): number {
  const parts = Object.entries(by).filter(([, count]) => count !== undefined);
  return parts.reduce((sum, [unit, count]) => sum + secondsOf(unit) * Number(count), 0);
}

function secondsOf(unit: string): number {
  const seconds = SECONDS[unit];
  if (seconds !== undefined) return seconds;
  const units = Object.keys(SECONDS).join(", ");
  throw new RangeError(`A duration has no ${JSON.stringify(unit)}; it has ${units}.`);
}
