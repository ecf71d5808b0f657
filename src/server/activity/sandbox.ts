import type { LocalCall, LocalReply } from "../../http/faces/in-process.ts";
import type { Settings } from "../../http/schemas/sandbox.ts";
import type { Activity } from "./activity.ts";

/** A running gateway. */
export interface Sandbox {
  /** Without a trailing slash. */
  readonly url: string;
  /** The gateway's version-1 base address. */
  readonly baseUrl: string;
  readonly port: number;
  readonly secret: string;
  readonly seed: string;
  readonly clock: { readonly mode: "real" | "frozen"; nowMs(): number };
  /** How it is set, for all integrations. @internal */
  settings(): Promise<Settings>;
  count(): { payins: number; payouts: number };
  /**
   * The headers that identify an integration, with a new idempotency key at each call. With state in memory the
   * keys come from the seed.
   */
  headers(token?: string): Record<string, string>;
  /**
   * Calls a route without a socket. A path is relative to `url`.
   * @throws TypeError, as `fetch` does, if a fault loses the response. SandboxClosedError after `close()`.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** The same without the classes of `fetch`. */
  call(path: string, call: LocalCall): Promise<LocalReply>;
  /** The number of the newest event. */
  lastEvent(): number;
  /** Calls `listener` with each gateway call and webhook attempt. @returns a function that removes the listener. */
  onActivity(listener: (activity: Activity) => void): () => void;
  /** Resolves if another process has taken over the state; undefined if none can. From then on calls are answered 503. */
  readonly replaced: Promise<void> | undefined;
  /** Finishes the open requests and the attempts in flight, then closes the store. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
