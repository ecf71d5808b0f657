import { type SandboxOptions, startSandbox as startServer } from "../server/start.ts";
import { Calls } from "./calls.ts";
import { type ClockMoves, clockMoves } from "./clock.ts";
import { Receivers } from "./receiver.ts";
import { type Integration, view, type View, viewIntegration } from "./view.ts";

/**
 * A gateway that runs in this process. It reads the records of all integrations, and creates records of the
 * integration with the token `sandbox`. After `close()` every call throws a SandboxClosedError.
 */
export interface Sandbox extends View, AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  /** The gateway's version-1 base address, for the client under test. */
  readonly baseUrl: string;
  readonly port: number;
  /** The secret that signs the webhooks. */
  readonly secret: string;
  /** The seed of all ids. */
  readonly seed: string;
  readonly clock: SandboxClock;
  /** The headers of a gateway call, with a new idempotency key each time. */
  headers(token?: string): Record<string, string>;
  /** The view of one `x-api-token`. Give each parallel test its own. */
  integration(token: string): Integration;
  /**
   * Calls the sandbox like `fetch`, without a socket. A path is relative to `url`.
   * @throws TypeError, as `fetch` does, if a fault loses the response.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Finishes running calls and webhook attempts, then stops. Later calls return the same promise. */
  close(): Promise<void>;
}

/** The sandbox's current time, and its moves. */
export interface SandboxClock extends ClockMoves {
  readonly mode: "real" | "frozen";
  nowMs(): number;
}

/**
 * Starts a gateway in this process: by default with state in memory, a free port and the real clock.
 * Fake timers do not affect it, but leave `process.nextTick` and `queueMicrotask` real: Node's own sockets and bodies
 * need them, so vitest leaves them real by default; with sinon pass `toNotFake: ["nextTick", "queueMicrotask"]`.
 * @throws TypeError for an unknown option or an invalid value; Error with the code EADDRINUSE for a port in use;
 * RangeError, FixtureError, StateFileError or StateInUseError for options that cannot be applied.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const server = await startServer(options);
  const client = new Calls({
    url: server.url,
    send: (path, call) => server.call(path, call),
    identify: (token) => server.headers(token),
    controlToken: options.controlToken,
    lastEvent: () => server.lastEvent(),
  });
  const receivers = new Receivers();
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= server.close().then(() => receivers.close()));
  return {
    ...view(client, receivers),
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
    integration: (token) => viewIntegration(client, token, receivers),
    fetch: (input, init) => server.fetch(input, init),
    close,
    [Symbol.asyncDispose]: close,
  };
}
