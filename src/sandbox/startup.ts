// How a sandbox begins: what its options ask for, held against what the state that is kept says.
import { hash, randomBytes } from "node:crypto";
import { type AssumptionChanges, withChanges } from "../core/assumptions/table.ts";
import { BrCodeFactory } from "../core/payments/br-code-factory.ts";
import type { ClockSetting } from "../core/time/clock.ts";
import type { Credentials } from "../core/credentials.ts";
import type { FixtureLoader } from "../core/state/fixture-loader.ts";
import { Ids } from "../core/payments/ids.ts";
import type { Store } from "../core/ports.ts";
import type { Identity } from "../core/state/records.ts";
import { fromIso } from "../core/time/timestamp.ts";
import { toSecret } from "../delivery/signature.ts";
import { NoCredentialsError, PublicUrlError } from "./errors.ts";
import type { SandboxOptions } from "./options.ts";

/** @throws NoCredentialsError where everyone needs a listed one, by this start or as an earlier run left it, and there is none. */
export function listCredentials(
  { records }: Store,
  { assumptions = {}, credentials = [] }: SandboxOptions,
): Credentials {
  const { credentials: choice } = { ...records.changedAssumptions.get(null), ...assumptions };
  if (choice === "listed" && credentials.length === 0) throw new NoCredentialsError();
  return new Map(credentials.map((credential) => [credential.apiKey, credential]));
}

/** The seed that is asked for, or that is kept, or a random one; and a secret that is drawn from it once and then kept. */
export function identify(
  { records }: Store,
  seed: string | undefined,
): Identity & { readonly stream: string } {
  const kept = records.identity;
  const held = seed ?? kept?.seed ?? randomBytes(8).toString("hex");
  return {
    seed: held,
    ...((seed !== undefined || kept?.isSeedGiven) && { isSeedGiven: true }),
    secret: kept?.secret ?? toSecret(Buffer.from(digest(`${held}\nsecret`).slice(0, 48), "hex")),
    // Not from the seed: a sandbox that begins anew counts its events anew.
    stream: kept?.stream ?? randomBytes(8).toString("hex"),
  };
}

/**
 * What draws the ids. Without a given seed, a start on an existing state draws new ones: the state may
 * have been edited since, or be an older copy.
 */
export function idsOf({ records }: Store, { seed, isSeedGiven }: Identity): Ids {
  const ids = new Ids(digest, seed, isSeedGiven ? undefined : drawNonce);
  if (records.identity) ids.startGeneration();
  return ids;
}

function drawNonce(): string {
  return randomBytes(16).toString("hex");
}

/** Remembers what this start changes; one that changes nothing leaves the state as it is. */
export function persistStart(store: Store, identity: Identity, said: AssumptionChanges): void {
  const { records } = store;
  const kept = records.identity;
  if (
    kept?.seed !== identity.seed ||
    kept.stream !== identity.stream ||
    kept.isSeedGiven !== identity.isSeedGiven
  )
    store.commit({ identity });
  // What was changed for everyone while an earlier run ran still holds, but for what this start says itself.
  const changed = Object.entries(records.changedAssumptions.get(null) ?? {});
  const still = changed.filter(([name]) => !Object.hasOwn(said, name));
  if (still.length === changed.length) return;
  const changedAssumptions = [{ integration: null, changes: Object.fromEntries(still) }];
  store.commit({ changedAssumptions });
}

/** What is asked for, or else where the state left off: time never goes back by a restart. */
export function settingOf(
  { clock: mode = "real", now }: SandboxOptions,
  kept: ClockSetting | undefined,
  realNowMs: number,
): ClockSetting {
  const startMs = typeof now === "string" ? fromIso(now) : now?.getTime();
  if (mode === "frozen") {
    const keptMs = kept?.mode === "frozen" ? kept.nowMs : realNowMs + (kept?.offsetMs ?? 0);
    return { mode, nowMs: startMs ?? keptMs };
  }
  const keptOffsetMs =
    kept?.mode === "frozen" ? Math.max(0, kept.nowMs - realNowMs) : (kept?.offsetMs ?? 0);
  return { mode, offsetMs: startMs === undefined ? keptOffsetMs : startMs - realNowMs };
}

/**
 * The earliest real time of a start that does not set the time itself. The wall clock may have been set back while
 * no sandbox ran; sandbox time does not go back behind the newest payin, payout or delivery of the state. Older
 * records may have been settled later, without a webhook: a start does not search all of them for that.
 */
export function earliestRealMs({ records }: Store, { now }: SandboxOptions): number {
  const { payins, payouts, deliveries, clock } = records;
  if (now !== undefined || clock?.mode === "frozen") return Number.NEGATIVE_INFINITY;
  const newest = [payins, payouts, deliveries].map((table) => table.newest(() => true));
  const reachedMs = Math.max(...newest.map((row) => row?.createdAtMs ?? Number.NEGATIVE_INFINITY));
  return reachedMs - (clock?.offsetMs ?? 0);
}

/**
 * Host and path under which BR codes locate charges; nobody can pay under a name that cannot exist.
 * @throws PublicUrlError where a location under it does not fit a BR code.
 */
export function locationBaseOf(publicUrl: string | undefined): string {
  if (publicUrl === undefined) return "pix-sandbox.example";
  const { host, pathname } = new URL(publicUrl);
  const base = `${host}${pathname}`.replace(/\/+$/, "");
  try {
    new BrCodeFactory({ locationBase: base, city: "" }).write("0".repeat(32), "");
  } catch {
    throw new PublicUrlError(base);
  }
  return base;
}

/** What makes records of fixtures; loaded where there are some. */
export async function createFixtureLoader(
  { fixtures = [], assumptions: said = {} }: SandboxOptions,
  parts: Pick<
    ConstructorParameters<typeof FixtureLoader>[0],
    "records" | "ids" | "codes" | "start"
  >,
): Promise<FixtureLoader | undefined> {
  if (fixtures.length === 0) return undefined;
  const { readFixtureFile, readFixtures, toFixtureSource } = await import("../http/fixtures.ts");
  const { FixtureLoader: Made } = await import("../core/state/fixture-loader.ts");
  const { changedAssumptions } = parts.records;
  // As they hold once this start has had its say.
  const everyones = withChanges(parts.start, { ...changedAssumptions.get(null), ...said });
  const assumptionsOf = (integration: string) => {
    const own = changedAssumptions.get(integration);
    return own ? withChanges(everyones, own) : everyones;
  };
  const sources = await Promise.all(
    fixtures.map(async (one) =>
      typeof one === "string" ? readFixtureFile(one) : toFixtureSource(one),
    ),
  );
  return new Made({ ...parts, fixtures: readFixtures(sources, assumptionsOf), assumptionsOf });
}

/** What ids are drawn from, as hexadecimal text. */
function digest(text: string): string {
  return hash("sha512", text, "hex");
}
