import { hash, randomBytes } from "node:crypto";
import type { Credentials } from "../../core/assumptions/table.ts";
import { Ids } from "../../core/records/ids.ts";
import type { Store } from "../../core/state/ports.ts";
import type { Identity } from "../../core/state/records.ts";
import { toSecret } from "../../webhook-diagnosis/signature.ts";
import { identifyingHeaders } from "../activity/identifying-headers.ts";

/**
 * The identity of a sandbox. The seed is the given one, the stored one, or random; the secret comes from the first
 * seed and is stored with it.
 */
export function identify({ records }: Store, givenSeed: string | undefined): Identity {
  const stored = records.identity;
  const seed = givenSeed ?? stored?.seed ?? randomBytes(8).toString("hex");
  return {
    seed,
    ...((givenSeed !== undefined || stored?.isSeedGiven) && { isSeedGiven: true }),
    secret: stored?.secret ?? toSecret(Buffer.from(digest(`${seed}\nsecret`).slice(0, 48), "hex")),
  };
}

/**
 * Draws the ids of a sandbox. Without a given seed, a start on an existing state draws new ones: the state may have
 * been edited since, or be an older copy.
 */
export function idsOf({ records }: Store, { seed, isSeedGiven }: Identity): Ids {
  const ids = new Ids(digest, seed, isSeedGiven ? undefined : drawNonce);
  if (records.identity) ids.startGeneration();
  return ids;
}

/** Creates `Sandbox.headers`, which draws a new idempotency key at each call. */
export function createHeaders(
  ids: Ids,
  {
    credentials,
    isPersistent,
  }: {
    readonly credentials: Credentials;
    /** Whether the state may already contain keys of an earlier run. */
    readonly isPersistent: boolean;
  },
): (token?: string) => Record<string, string> {
  const drawn = new Map<string, number>();
  const drawKey = (token: string): string => {
    if (isPersistent) return crypto.randomUUID();
    const counter = (drawn.get(token) ?? 0) + 1;
    drawn.set(token, counter);
    return ids.key(token, counter);
  };
  return (token = "sandbox") =>
    identifyingHeaders(token, drawKey(token), credentials.get(token)?.merchantId);
}

function drawNonce(): string {
  return randomBytes(16).toString("hex");
}

function digest(text: string): string {
  return hash("sha512", text, "hex");
}
