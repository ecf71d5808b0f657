import { networkInterfaces } from "node:os";

/**
 * The addresses at which other machines reach a server that listens on all interfaces, as URLs name them: IPv4, and
 * for `::` IPv6 too.
 */
export function networkAddresses(wildcard: string): string[] {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family }) => !internal && (family === "IPv4" || wildcard === "::"))
    .filter(({ address }) => !/^fe[89ab]/i.test(address)) // A link-local address also needs its interface.
    .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
}
