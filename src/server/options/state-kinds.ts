import path from "node:path";
import { parseAddress, PostgresAddressError } from "../../store/postgres/address.ts";
import { type Message, say } from "../../text/message.ts";

/** The schemes of databases. */
const DATABASES: ReadonlySet<string> = new Set(["postgres", "postgresql"]);

/** Whether a state is a file, and its address a path. */
export function isFile(state: string): boolean {
  return schemeOf(state) === "";
}

/** Whether a state is in a database, which several processes may share: one of them uses it. */
export function isShared(state: string | undefined): boolean {
  return DATABASES.has(schemeOf(state ?? ""));
}

/** A state's address for people: the path of a file as it is, any other address without its password. */
export function labelOf(state: string): string {
  if (isFile(state)) return state;
  return wrongAddress(state) ? `${schemeOf(state)}://…` : parseAddress(state).place;
}

/** Where a state is, for people: the whole path of a file, or the address of a database without its password. */
export function placeOf(state: string, cwd: string): string {
  return isFile(state) ? path.resolve(cwd, state) : labelOf(state);
}

/** Why a state's address cannot be used; undefined for a usable one. The text does not contain its password. */
export function wrongAddress(state: string): Message | undefined {
  if (isFile(state)) return undefined;
  // A mistyped scheme would otherwise be a file, whose name contains the password.
  if (!isShared(state)) {
    const scheme = `${schemeOf(state)}://`;
    return say`The state is neither the path of a file nor an address of a supported kind: it begins with ${scheme}. Use a path, or postgres://user:password@host/db?sandbox=name.`;
  }
  try {
    parseAddress(state);
    return undefined;
  } catch (error) {
    if (error instanceof PostgresAddressError) return error.text;
    throw error;
  }
}

/** One letter and a colon is a drive of Windows. */
function schemeOf(state: string): string {
  const [, scheme = ""] = /^([a-z][a-z\d+.-]+):\/\//i.exec(state) ?? [];
  return scheme.toLowerCase();
}
