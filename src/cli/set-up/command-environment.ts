import { Option } from "commander";
import { commandClient } from "../client/command-client.ts";
import type { Started } from "../serving/start.ts";
import { usageError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { collect } from "../definition/options.ts";
import { readWith } from "../definition/reading.ts";
import { type Renames, withVariables } from "../definition/variables.ts";
import { say } from "../../text/message.ts";

/** The option that passes a variable under another name. */
export function asOption(): Option {
  const option = new Option(
    "--as <name=variable>",
    localize(say`pass a variable under another name; repeatable`),
  );
  return readWith(option, collect);
}

/** The environment of a command that runs with its own sandbox: it points to that sandbox. */
export async function commandEnvironment(
  { sandbox, options: { controlToken } }: Started,
  renames: Renames,
  io: Io,
): Promise<Io["env"]> {
  const token = io.env["PIX_SANDBOX_TOKEN"];
  const caller = commandClient({ url: sandbox.url, controlToken, token });
  return {
    ...withVariables(io.env, await caller.call("GET /env"), renames),
    ...(controlToken !== undefined && { PIX_SANDBOX_CONTROL_TOKEN: controlToken }),
  };
}

/** @throws CliError for an empty word, such as from an unset shell variable. */
export function refuseEmptyCommand([command]: readonly string[]): void {
  if (command !== "") return;
  throw usageError(say`The command is empty.`, say`Pass the command after --.`);
}
