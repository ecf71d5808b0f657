import type dns from "node:dns";
import net from "node:net";

/** Names that stand for what a resolver would find; every other name is looked up for real. */
const NAMES: Record<string, readonly string[]> = {
  "both.test": ["127.0.0.1", "::1"],
  "both-turned.test": ["::1", "127.0.0.1"],
  "link-local.test": ["169.254.0.7"],
  "link-local-6.test": ["fe80::7", "169.254.0.7"],
  "mapped.test": ["::ffff:169.254.0.7"],
  "metadata.test": ["168.63.129.16", "192.0.0.192", "fd20:ce::254", "64:ff9b::a83f:8110"],
  "host.containers.internal": ["169.254.1.2"],
  "gateway.docker.internal": ["fe80::7"],
  "host.docker.internal": ["169.254.169.254", "::ffff:169.254.169.254", "fe80::a9fe:a9fe"],
  "host.lima.internal": ["169.254.1.2"],
  "mixed.test": ["169.254.0.7", "127.0.0.1"],
  "elsewhere.test": ["192.0.2.1", "2001:db8::1"],
  "partly-here.test": ["192.0.2.1", "127.0.0.1"],
  "here.test": ["127.0.0.1", "::1", "::ffff:127.0.0.1"],
};

/** Node's own module, which finds these names too. */
export function fakeDns(original: typeof dns): typeof dns {
  const lookup = (
    name: string,
    options: object,
    callback: (error: Error | null, addresses: { address: string; family: number }[]) => void,
  ): void => {
    const found = NAMES[name];
    if (!found) return original.lookup(name, options as { all: true }, callback);
    const addresses = found.map((address) => ({ address, family: net.isIP(address) }));
    setImmediate(() => callback(null, addresses));
  };
  return { ...original, lookup: lookup as typeof dns.lookup };
}
