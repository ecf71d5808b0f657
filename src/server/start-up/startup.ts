// What a start derives from its options and the stored state, and what it stores.
import { readFile } from "node:fs/promises";
import {
  type AssumptionChanges,
  type Credentials,
  withChanges,
} from "../../core/assumptions/table.ts";
import { fitsBrCode } from "../../core/records/br-code-writer.ts";
import type { Store } from "../../core/state/ports.ts";
import type { createFixtures, FixtureLoader } from "../../core/operations/fixture-loader.ts";
import type { Identity } from "../../core/state/records.ts";
import type { ListenOptions } from "../../http/faces/listen.ts";
import { NoCredentialsError, UnusableOptionError } from "../options/errors.ts";
import type { Settings } from "../options/options.ts";
import type { FixtureSource } from "./fixtures.ts";
import { unreadable } from "../../text/file-reason.ts";
import { say } from "../../text/message.ts";
import type { Report } from "../activity/report.ts";

/**
 * Where the options let the server listen. Certificate files turn HTTPS on.
 * @throws UnusableOptionError for a file that cannot be used
 */
export async function listenOptions({
  host,
  port,
  https,
  tlsCert,
  tlsKey,
}: Pick<Settings, "host" | "port" | "https" | "tlsCert" | "tlsKey">): Promise<ListenOptions> {
  if (tlsCert === undefined || tlsKey === undefined) return { host, port, https };
  const { createSecureContext } = await import("node:tls");
  const read = async (option: "tlsCert" | "tlsKey", file: string, other = {}): Promise<string> => {
    try {
      const text = await readFile(file, "utf8");
      if (!text.includes("-----BEGIN ")) throw new Error("no PEM block in it");
      createSecureContext(option === "tlsCert" ? { cert: text } : { ...other, key: text });
      return text;
    } catch (error) {
      const reason = unreadable(error as Error);
      throw new UnusableOptionError(
        option,
        say`${file} cannot be used: ${reason}. Use a certificate in PEM, the server's own first, and its private key without a passphrase.`,
      );
    }
  };
  const cert = await read("tlsCert", tlsCert);
  return { host, port, https: { cert, key: await read("tlsKey", tlsKey, { cert }) } };
}

/** @throws NoCredentialsError if only listed credentials are active, by the options or the state, and none are listed. */
export function listCredentials(
  { records }: Store,
  { assumptions, credentials }: Pick<Settings, "assumptions" | "credentials">,
): Credentials {
  const { credentials: choice } = { ...records.changesOf(null), ...assumptions };
  if (choice === "listed" && credentials.length === 0) throw new NoCredentialsError();
  return new Map(credentials.map((credential) => [credential.apiKey, credential]));
}

/** Stores what this start changes. A start that changes nothing writes nothing. */
export function persistStart(store: Store, identity: Identity, given: AssumptionChanges): void {
  const { records } = store;
  const stored = records.identity;
  if (stored?.seed !== identity.seed || stored.isSeedGiven !== identity.isSeedGiven)
    store.commit([["identity", identity]]);
  // Global changes of an earlier run still apply, except where the options set the assumption.
  const changed = Object.entries(records.changesOf(null) ?? {});
  const remaining = changed.filter(([name]) => !Object.hasOwn(given, name));
  if (remaining.length === changed.length) return;
  const changes = Object.fromEntries(remaining);
  store.commit([["changedAssumptions", { integration: null, changes }]]);
}

/**
 * The host and path of the locations in BR Codes. The default host cannot exist, so such a code cannot be paid. Reports
 * a public URL with which a location does not fit into a BR Code; such a URL serves everything else.
 */
export function locationBaseOf(publicUrl: string | undefined, report: Report): string {
  if (publicUrl === undefined) return RESERVED_HOST;
  const { host, pathname } = new URL(publicUrl);
  const base = `${host}${pathname}`.replace(/\/+$/, "");
  if (fitsBrCode(base)) return base;
  report(
    say`The public URL is too long for BR Codes: they contain ${RESERVED_HOST} instead of ${base}. Everything else uses it.`,
  );
  return RESERVED_HOST;
}

const RESERVED_HOST = "pix-sandbox.example";

/** The host names that are accepted beside this machine's own. A phone calls the host of the public URL. */
export function acceptedHosts({
  allowHosts,
  publicUrl,
}: Pick<Settings, "allowHosts" | "publicUrl">): readonly string[] {
  const names = allowHosts.map((name) => name.toLowerCase());
  return publicUrl === undefined ? names : [...names, new URL(publicUrl).hostname];
}

/**
 * Reads the given fixtures; their entries are read when the state is open.
 * @throws FixtureError for a file that cannot be read, or does not have the form of one
 */
export async function readSources(
  fixtures: Settings["fixtures"],
): Promise<readonly FixtureSource[]> {
  if (fixtures.length === 0) return [];
  const { readFixtureFile, toFixtureSource } = await import("./fixtures.ts");
  return Promise.all(
    fixtures.map(async (one) =>
      typeof one === "string" ? readFixtureFile(one) : toFixtureSource(one),
    ),
  );
}

/** Creates the loader of fixtures; its code is loaded only if there are any. */
export async function createFixtureLoader(
  sources: readonly FixtureSource[],
  given: AssumptionChanges,
  parts: Pick<Parameters<typeof createFixtures>[0], "gateway" | "records" | "start">,
): Promise<FixtureLoader | undefined> {
  if (sources.length === 0) return undefined;
  const { readFixtures } = await import("./fixtures.ts");
  const loader = await import("../../core/operations/fixture-loader.ts");
  const { records } = parts;
  // The assumptions that apply once this start is stored.
  const forAll = withChanges(parts.start, { ...records.changesOf(null), ...given });
  const assumptionsOf = (integration: string) => {
    const own = records.changesOf(integration);
    return own ? withChanges(forAll, own) : forAll;
  };
  const all = readFixtures(sources, assumptionsOf);
  return loader.createFixtures({ ...parts, fixtures: all, assumptionsOf });
}
