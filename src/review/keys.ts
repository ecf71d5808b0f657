import { createHash } from "node:crypto";
import { isSameJson } from "../wire/json.ts";
import {
  isPaid,
  type Payin,
  type Transaction,
  type TransactionOf,
} from "../core/records/transaction.ts";
import type { Evidence } from "./finding.ts";
import type { SeenCreation, Watch } from "./observation.ts";
import { shortened } from "./shortened.ts";
import { keyOf, prefixOf, RecentMap, type Tally } from "./tally.ts";
import { PATIENCE_MS } from "./unknown-outcomes.ts";
import { say } from "../text/message.ts";

/** Finds the record for which an integration has used a key. */
export type FindByKey = (integration: string, key: string) => Transaction | undefined;

/** How many calls without an outcome, and how many expired charges, are remembered. */
const MAX_REMEMBERED = 1000;
const OLD_CHARGE = "key_reused_for_new_payin";

/** Judges whether an idempotency key is used for one request only, and not for a new charge after the first has ended. */
export function keys(tally: Tally, findByKey: FindByKey): Watch {
  /** The calls whose client got no response: it may repeat them, however late. */
  const unknown = new RecentMap<true>(MAX_REMEMBERED);
  /** The newest expired charge of each buyer and value, until another one is created. */
  const expired = new RecentMap<string>(MAX_REMEMBERED);

  const seeRepeat = (
    call: SeenCreation,
    { record: payin, request }: TransactionOf<"payin">,
  ): void => {
    const { integration, key, endedAtMs } = call;
    const name = nameOf(payin);
    const write = oldChargeEvidence(call, payin);
    if (expired.get(name) === payin.id)
      tally.broken(integration, OLD_CHARGE, name, write, endedAtMs + PATIENCE_MS);
    // While the charge waits, a buyer who clicks twice looks the same, unless nothing could name the order.
    else if (
      (isPaid(payin.status) || (payin.description ?? "") === "") &&
      isOfBodyAlone(key, request)
    )
      tally.broken(integration, OLD_CHARGE, payin.id, write);
  };

  const seeNew = ({ kind, record }: Transaction): void => {
    if (expired.size === 0 || kind !== "payin") return;
    const name = nameOf(record);
    if (expired.get(name) === undefined) return;
    expired.delete(name);
    tally.mended(record.integration, OLD_CHARGE, name);
  };

  return {
    creation: (call, created) => {
      if (created) seeNew(created);
      const { integration, requestId, key, keyUse, outcome } = call;
      const isKnown = outcome === "known";
      if (keyUse === "new" && isKnown) return;
      const id = keyOf(integration, key);
      const wasUnknown = unknown.get(id) ?? false;
      if (isKnown) unknown.delete(id);
      else unknown.set(id, true);
      if (keyUse === "new") return;
      const record = findByKey(integration, key);
      const isOther = isOtherRequest(call, record);
      if (isOther === undefined) return;
      if (isOther)
        return tally.broken(integration, "key_reused_with_other_body", requestId, evidenceOf(call));
      tally.kept(integration, "key_reused_with_other_body");
      if (isKnown && !wasUnknown && record?.kind === "payin") seeRepeat(call, record);
    },
    settled: (payin) => {
      if (payin.status === "expired") expired.set(nameOf(payin), payin.id);
    },
    reset: (integration) => {
      for (const map of [unknown, expired]) map.clear(prefixOf(integration));
    },
  };
}

function nameOf({ integration, buyer_cpf, value }: Payin): string {
  return keyOf(integration, buyer_cpf, String(value));
}

/** The members that are the same in two orders of a buyer. */
const OF_BUYER = ["buyer_cpf", "buyer_name", "buyer_email", "value", "expiration"];
const HASHES = ["md5", "sha1", "sha256", "sha512"];
/** As many digits of a hash as a UUID has. */
const HASH_LENGTH = 32;

/**
 * Whether a key is made of the body alone, and nothing in the body tells one order from another: each order of the
 * buyer that has the same value then has the same key.
 */
function isOfBodyAlone(key: string, text: string): boolean {
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const others = Object.entries(body).filter(([name]) => !OF_BUYER.includes(name));
  // A digit, but for those of the webhook's host, may be part of an order's number.
  if (/\d/.test(JSON.stringify(others).replaceAll(/https?:\/\/[^/"]*/g, ""))) return false;
  const hex = key.replaceAll("-", "").toLowerCase();
  const digests = HASHES.map((name) => createHash(name).update(text).digest("hex"));
  const rest = key.replace(String(body["buyer_cpf"]), "");
  const value = Number(body["value"]);
  const digits = [value, value.toFixed(2), ""].map((one) => String(one).replace(".", ""));
  return (
    digests.some((digest) => hex.includes(digest.slice(0, HASH_LENGTH))) ||
    (rest !== key && /^[a-z]*[^a-z]*$/i.test(rest) && digits.includes(rest.replaceAll(/\D/g, "")))
  );
}

/**
 * Whether a call differs from the one that created the record; undefined if that cannot be known: the record is
 * gone, or the body is too long for the request log.
 */
function isOtherRequest(
  { noun, body }: SeenCreation,
  earlier: Transaction | undefined,
): boolean | undefined {
  if (!earlier) return undefined;
  if (earlier.kind !== noun) return true;
  try {
    return !isSameJson(earlier.request, body ?? "");
  } catch {
    return undefined;
  }
}

function evidenceOf(call: SeenCreation): () => Evidence {
  const { requestId, method, path, atMs } = call;
  const key = shortened(call.key);
  return () => ({
    atMs,
    text: say`${requestId} (${method} ${path}) used the key ${key} of another request.`,
    requestId,
    command: "npx pix-sandbox requests",
  });
}

function oldChargeEvidence(call: SeenCreation, { id, status }: Payin): () => Evidence {
  const { requestId, atMs } = call;
  const isExpired = status === "expired";
  return () => ({
    atMs,
    text: isExpired
      ? say`${requestId} used the key of payin ${id} again, which has expired: the response is the old charge.`
      : say`${requestId} used the key of payin ${id} again. The key is made of the body alone, so that two equal orders share a charge.`,
    requestId,
    transactionId: id,
    command: `npx pix-sandbox payin show ${id}`,
    // The buyer may be gone.
    isMinor: isExpired,
  });
}
