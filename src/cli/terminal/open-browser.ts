import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import type { Io } from "./io.ts";
import { say } from "../../text/message.ts";

/** A program that fails to open an address ends within this time; one that opens it may run on. */
const FAILS_WITHIN_MS = 500;

/**
 * Opens an address in the browser: the program that `BROWSER` names, or the one of the operating system. A failure
 * prints the address, and is no failure of the command.
 */
export async function openBrowser(url: string, io: Io): Promise<void> {
  // The address stands alone as an argument: no shell reads it.
  const [program, ...args] = openerOf(io.env["BROWSER"]);
  // Only this option needs the module.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(program, [...args, new URL(url).href], { detached: true, stdio: "ignore" });
  child.unref();
  const hasFailed = await Promise.race([
    once(child, "exit").then(
      ([code]) => code !== 0,
      () => true, // It could not be started.
    ),
    wait(FAILS_WITHIN_MS, false),
  ]);
  if (!hasFailed) return;
  io.printError(say`Could not start a browser. Open ${toSafeLine(url)} yourself.`);
}

/** The program that opens an address, with its first arguments. */
function openerOf(browser: string | undefined): readonly [string, ...string[]] {
  if (browser) return [browser];
  if (process.platform === "darwin") return ["open"];
  // `start` would need cmd, which replaces variables in its arguments.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}
