import { isLoopbackHost } from "../../core/records/webhook-url.ts";
import type { Listening } from "../../http/faces/listen.ts";
import { toUrl, SINK_PATH } from "../../wire/names.ts";
import { networkAddresses } from "./network-addresses.ts";

/** What an address is compared with. */
export interface OwnNames {
  readonly listening: () => Pick<Listening, "url" | "address">;
  readonly publicUrl: string | undefined;
  /** Names under which a proxy reaches the sandbox, in lower case. */
  readonly allowedHosts: readonly string[];
  /** Whether a client has reached this sandbox by a host, with its port. */
  readonly hasHost: (host: string) => boolean;
}

/** The addresses at which a sandbox is reached. A name that only DNS relates to it is recognized once it was used. */
export class OwnAddresses {
  readonly #names: OwnNames;
  readonly #publicHost: string | undefined;

  constructor(names: OwnNames) {
    this.#names = names;
    this.#publicHost = names.publicUrl === undefined ? undefined : new URL(names.publicUrl).host;
  }

  /** Whether a URL names the server: its port and its host or a loopback name, the public URL, or a used host. */
  isOwn(url: URL): boolean {
    if (url.host === this.#publicHost || this.#names.hasHost(url.host)) return true;
    const own = new URL(this.#names.listening().url);
    return (
      portOf(url) === portOf(own) && (url.hostname === own.hostname || isLoopbackHost(url.hostname))
    );
  }

  /**
   * Whether a webhook to an address would call a control route of this sandbox: it would act as its user, for
   * example reset it. Sinks are allowed: they are for webhooks.
   */
  isControlRoute(address: string): boolean {
    const url = toUrl(address);
    if (!url?.pathname.startsWith(CONTROL) || url.pathname.startsWith(SINK_PATH)) return false;
    return this.isOwn(url) || this.#isInNetwork(url) || this.#isAllowed(url);
  }

  /** Whether a URL names this machine's address in the network, at which the server listens too. */
  #isInNetwork(url: URL): boolean {
    const { url: own, address } = this.#names.listening();
    if (portOf(url) !== portOf(new URL(own))) return false;
    if (UNSPECIFIED.has(url.hostname)) return true;
    const isWildcard = address === "0.0.0.0" || address === "::";
    return (isWildcard ? networkAddresses(address) : [address]).includes(url.hostname);
  }

  /** A proxy for the name may listen on the same port, or on the protocol's. */
  #isAllowed(url: URL): boolean {
    const name = url.hostname.replace(/\.$/, "");
    if (!this.#names.allowedHosts.includes(name)) return false;
    return url.port === "" || portOf(url) === portOf(new URL(this.#names.listening().url));
  }
}

const CONTROL = "/_sandbox/";
/** Addresses that a connection takes as its own machine. */
const UNSPECIFIED = new Set(["0.0.0.0", "[::]"]);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

function portOf({ port, protocol }: URL): string | undefined {
  return port || DEFAULT_PORTS[protocol];
}
