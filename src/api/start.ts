import { type SandboxOptions, startSandbox as startServer } from "../sandbox/start.ts";
import { Client } from "./client.ts";
import { type ClockMoves, clockMoves } from "./clock.ts";
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

/** The sandbox's time at any moment, and how it is moved. */
export interface SandboxClock extends ClockMoves {
  readonly mode: "real" | "frozen";
  nowMs(): number;
}

/**
 * Starts a gateway in this process: state in memory, a free port and the real clock, unless options say otherwise.
 * Fake timers do not affect it, but leave `process.nextTick` and `queueMicrotask` real: Node's own sockets and bodies
 * need them, so vitest leaves them real by default; with sinon pass `toNotFake: ["nextTick", "queueMicrotask"]`.
 * @throws TypeError for an option that there is not, or that takes no such value; Error with the code EADDRINUSE
 * for a busy port; for options that cannot hold, RangeError, FixtureError, StateFileError or StateInUseError with a
 * sentence that says which.
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
    clock: {
      get mode() {
        return server.clock.mode;
      },
      nowMs: () => server.clock.nowMs(),
      ...clockMoves(client),
    },
    headers: (token) => server.headers(token),
    integration: (token) => viewIntegration(client, token),
    fetch: (input, init) => server.fetch(input, init),
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
