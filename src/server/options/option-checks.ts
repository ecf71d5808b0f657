// The checks of options that a flag, a variable, the config file and the programmatic API share. Without zod and
// without the server: the command line loads them for its help, too.
import { toUrl } from "../../wire/url.ts";
import { types } from "node:util";
import { END_OF_TIME_MS, fromIso } from "../../wire/timestamp.ts";
import { toOrigin } from "../../wire/web-origin.ts";
import type { SandboxOptions } from "./options.ts";

/** Whether a URL has only a host and a path: a BR Code cannot contain a query. */
export function isPublicUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i.test(text) && toUrl(text) !== undefined;
}

/** Whether a URL has only a host: it is the address of a process of a team. */
export function isHttpOrigin(text: string): boolean {
  return /^https?:/i.test(text) && toOrigin(text) !== undefined;
}

/** Whether a Date, or a text in ISO 8601, can be the sandbox's time at the start. */
export function isStartTime(value: unknown): boolean {
  const ms = typeof value === "string" ? fromIso(value) : types.isDate(value) && value.getTime();
  // An invalid Date is NaN, which is not less than anything.
  return typeof ms === "number" && ms < END_OF_TIME_MS;
}

/** Of a certificate's two files, the one that is given without the other; undefined if both or none are given. */
export function loneCertificateFile({
  tlsCert,
  tlsKey,
}: Pick<SandboxOptions, "tlsCert" | "tlsKey">): "tlsCert" | "tlsKey" | undefined {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return undefined;
  return tlsKey === undefined ? "tlsCert" : "tlsKey";
}
