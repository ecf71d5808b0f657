import { maskAddress } from "../store/postgres/address.ts";
import type { OpenState } from "../store/opened-state.ts";

/** The opener of each kind of state, by the scheme of its address. The path of a file has none. */
const OPENERS: Readonly<Record<string, () => Promise<OpenState>>> = {
  "": async () => (await import("../store/state-file.ts")).openStateFileAndSnapshots,
};

/** Loads the code that opens this state. */
export function openerOf(state: string): Promise<OpenState> {
  const load = OPENERS[schemeOf(state)] as () => Promise<OpenState>;
  return load();
}

/** Whether a state is a file, and its address a path. */
export function isFile(state: string): boolean {
  return !isShared(state) && schemeOf(state) === "";
}

/** A state's address, without a password: it is safe to print. */
export function labelOf(state: string): string {
  return isShared(state) ? maskAddress(state) : state;
}

/** Whether a state is in a database, which several processes share: one of them leads. */
export function isShared(state: string | undefined): boolean {
  return /^postgres(?:ql)?:\/\//.test(state ?? "");
}

/** A path may look like an address of a kind that does not exist. */
function schemeOf(state: string): string {
  const [, scheme = ""] = /^([a-z]+):\/\//.exec(state) ?? [];
  return Object.hasOwn(OPENERS, scheme) ? scheme : "";
}
