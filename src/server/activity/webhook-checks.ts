import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Payin } from "../../core/records/payin.ts";
import type { Payout } from "../../core/records/payout.ts";
import type { Records } from "../../core/state/records.ts";
import { isLoopback, isWebhookUrl } from "../../core/records/webhook-url.ts";
import { type Destinations, lookupFor, Sender } from "../../delivery/sender.ts";
import {
  type CheckWebhook,
  UncheckedHandler,
  type WebhookCheckOrder,
} from "../../http/context/webhook-check.ts";
import type { WireWebhookCheck } from "../../review/webhook-check.ts";
import { say } from "../../text/message.ts";
import { translate } from "../../text/languages.ts";
import { toUrl } from "../../wire/url.ts";
import type { CheckOptions } from "../../play/check-webhook/check-webhook.ts";
import { PlayError } from "../../play/play-error.ts";
import { OwnGateway, type OwnCalls } from "./own-gateway.ts";

export interface WebhookChecks {
  readonly calls: () => Omit<OwnCalls, "language">;
  readonly secretOf: (integration: string | null) => string;
  readonly destinations: Destinations;
  /** The hosts of `--check-webhook-host`. */
  readonly hosts: readonly string[];
  /** Whether an integration, or any (`null`), has a record whose webhooks go to a host. */
  readonly hasUsed: (integration: string | null, hostname: string) => boolean;
  readonly isOwnControlRoute: (address: string) => boolean;
}

/** Checks handlers, one at a time. A check sends forged webhooks: it reaches few hosts, by addresses resolved once. */
export function webhookChecks(options: WebhookChecks): CheckWebhook {
  let isBusy = false;
  return async (order) => {
    if (isBusy) throw new UncheckedHandler("busy", say`Another check of a handler is under way.`);
    isBusy = true;
    try {
      return await check(order, options);
    } finally {
      isBusy = false;
    }
  };
}

async function check(order: WebhookCheckOrder, options: WebhookChecks): Promise<WireWebhookCheck> {
  const { url, token, language, signal } = order;
  const { calls, secretOf, destinations } = options;
  const lookup = await allowedLookup("url", url, order, options);
  const effect = await readerOf(order, options);
  const { checkWebhook, CHECKED_RULES } = await import("../../play/check-webhook/check-webhook.ts");
  const sender = new Sender(destinations, () => undefined, lookup);
  const { review, sent, notes, stopped } = await checkWebhook({
    client: new OwnGateway({ ...calls(), language }, token),
    language,
    url,
    secret: secretOf(token),
    createSender: async () => sender,
    effect,
    // A response shows nothing of the merchant's bodies.
    hidesEffect: true,
    only: CHECKED_RULES,
    signal,
  });
  if (stopped instanceof PlayError) throw toUnchecked(stopped);
  if (stopped !== undefined) throw stopped;
  if (sent.length === 1 && sender.isRefused(url))
    throw new UncheckedHandler("url", say`Nothing listens at ${url}.`);
  return {
    rules: review.rules,
    probes: sent.map(({ rules, what, expected, seen, broken }) => ({
      rules: [...rules],
      what: translate(what, language),
      expected: translate(expected, language),
      seen: translate(seen, language),
      result: broken.length === 0 ? "equal" : "changed",
    })),
    notes: notes.map((note) => translate(note, language)),
  };
}

/** Reads the effect, if the order names one. */
async function readerOf(
  order: WebhookCheckOrder,
  options: WebhookChecks,
): Promise<CheckOptions["effect"]> {
  if (order.effect === undefined) return undefined;
  const { AddressTemplate, readAddress } = await import("../tools/effect-address.ts");
  const template = readTemplate(() => new AddressTemplate(order.effect ?? ""));
  const lookup = await allowedLookup("effect", template.example, order, options);
  return async (record) => {
    const address = template.fill(record);
    // A member can make it one, such as the description.
    if (options.isOwnControlRoute(address)) throw notOfMerchant("effect");
    return readAddress(address, { limitMs: READ_MS, signal: order.signal, lookup });
  };
}

const READ_MS = 10_000;

/** @throws UncheckedHandler for an invalid address of an effect */
function readTemplate<Template>(read: () => Template): Template {
  try {
    return read();
  } catch (error) {
    throw error instanceof PlayError ? toUnchecked(error) : error;
  }
}

function toUnchecked({ text, hint }: PlayError): UncheckedHandler {
  return new UncheckedHandler("effect", say`${text} ${hint ?? ""}`);
}

function notOfMerchant(field: "url" | "effect"): UncheckedHandler {
  return new UncheckedHandler(field, say`${field} must be the address of a merchant's server.`);
}

/**
 * Resolves the host of an address to what it is now, for the whole check.
 * @throws UncheckedHandler if it is not on this machine nor on a known host, or has no allowed address
 */
async function allowedLookup(
  field: "url" | "effect",
  text: string,
  { token }: WebhookCheckOrder,
  { destinations, hosts, hasUsed, isOwnControlRoute }: WebhookChecks,
): Promise<LookupFunction> {
  const url = toUrl(text);
  if (!url || !isWebhookUrl(text) || isOwnControlRoute(text)) throw notOfMerchant(field);
  const { hostname } = url;
  const addresses = await resolve(hostname.replace(/^\[|\]$/g, ""), destinations);
  const [first] = addresses;
  if (!first)
    throw new UncheckedHandler(field, say`${hostname} has no address that webhooks may go to.`);
  const isHere = addresses.every(({ address }) => isLoopback(address));
  const isKnown = hosts.some((host) => host.toLowerCase() === hostname) || hasUsed(token, hostname);
  if (isHere || isKnown)
    return (_name, { all }, callback) => {
      if (all) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    };
  throw new UncheckedHandler(
    field,
    say`${hostname} is not this machine, and no webhook_url of the integration names it. If the server is yours and not in production, start the sandbox with --check-webhook-host ${hostname}.`,
  );
}

async function resolve(
  host: string,
  destinations: Destinations,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  return new Promise((done) => {
    lookupFor(destinations)(host, { all: true }, (error, found) => {
      done(error || typeof found === "string" ? [] : found);
    });
  });
}

/** Whether an integration, or any (`null`), has a payin or a payout whose webhooks go to a host. */
export function hasUsedHost(
  { payins, payouts }: Pick<Records, "payins" | "payouts">,
  integration: string | null,
  hostname: string,
): boolean {
  const isUsed = ({ webhookUrl, integration: owner }: Payin | Payout): boolean =>
    (integration === null || owner === integration) &&
    // Most addresses need no parsing.
    webhookUrl.toLowerCase().includes(hostname) &&
    toUrl(webhookUrl)?.hostname === hostname;
  return payins.newest(isUsed) !== undefined || payouts.newest(isUsed) !== undefined;
}
