import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { toSafeLine, toSafeText } from "../../text/plain/safe-text.ts";
import { isLoopbackHost } from "../../core/records/webhook-url.ts";
import { networkAddresses } from "../../server/activity/network-addresses.ts";
import {
  COMMAND_ROWS,
  type CommandOptions,
  type SandboxOptions,
} from "../../server/options/options.ts";
import type { Sandbox } from "../../server/start.ts";
import { isFile, labelOf } from "../../server/options/state-kinds.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { withProgress } from "../client/progress.ts";
import { readProfileFile } from "./config-file.ts";
import { type Given, readAssumptions, readOptions } from "./options.ts";
import { type Message, say } from "../../text/message.ts";

export interface Started {
  readonly sandbox: Sandbox;
  readonly options: CommandOptions;
}

/**
 * Starts a gateway with the options of the command line, the environment and the config file.
 * @param own options that override all of these
 * @throws CliError if it cannot start.
 */
export async function startGateway(
  command: Command,
  io: Io,
  own?: Partial<CommandOptions>,
): Promise<Started> {
  const given = await readOptions(command, io, own);
  const { options, find } = given;
  const { stateFile } = options;
  const report = (text: Message): void =>
    io.printError(toSafeText(`pix-sandbox: ${localize(text)}`));
  const sandboxOptions = await toSandboxOptions(given, report, io);
  const folder = path.dirname(pathIn(io, stateFile ?? ""));
  const isNewFolder =
    stateFile !== undefined && find("stateFile").source === "default" && !existsSync(folder);
  const label = stateFile ? localize(say`Opening ${labelOf(stateFile)}`) : localize(say`Starting`);
  const isSilent = options.json || options.quiet;
  const sandbox = await withProgress(io, { label: toSafeLine(label), isSilent }, async () => {
    const { startSandbox } = await import("../../server/start.ts");
    return startSandbox(sandboxOptions, report).catch(async (error: unknown) => {
      const { toStartError } = await import("./start-error.ts");
      return toStartError(error, given);
    });
  });
  // The folder is nothing to commit. A sandbox runs without the file too.
  if (isNewFolder)
    await writeFile(path.join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  warnOfNetwork(sandbox, options, io);
  return { sandbox, options };
}

/** The options that a sandbox takes. Files of the command line are in the working directory. */
async function toSandboxOptions(
  { options, config, find }: Given,
  report: (text: Message) => void,
  io: Io,
): Promise<SandboxOptions> {
  const place = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(place);
    return typeof value === "string" && isFile(value) ? pathIn(io, value) : value;
  };
  const passed = COMMAND_ROWS.filter(([, { takenBy }]) => takenBy.includes("startSandbox"));
  const members: Readonly<Record<string, unknown>> = options;
  const values = passed.map(([name, { argument }]) => [
    name,
    argument === "file" ? place(members[name]) : members[name],
  ]);
  const assumptions = readAssumptions(options.assumptions ?? [], find("assumptions").name);
  const profile =
    options.profile === undefined ? undefined : await readProfileFile(options.profile, io);
  const credentials = config?.credentials;
  if (profile?.assumptions.credentials === "listed" && !credentials?.length) {
    delete profile.assumptions.credentials;
    report(
      say`The profile ${profile.name} accepts only listed tokens, but the config file lists no credentials: every token is accepted.`,
    );
  }
  return {
    ...Object.fromEntries(values),
    assumptions: { ...config?.assumptions, ...assumptions },
    profile,
    credentials,
  };
}

/** Warns if other machines can reach the sandbox. */
function warnOfNetwork(
  { url, port }: Pick<Sandbox, "url" | "port">,
  { host, controlToken }: Pick<CommandOptions, "host" | "controlToken">,
  io: Io,
): void {
  if (isLoopbackHost(host)) return;
  const addresses = host === "0.0.0.0" || host === "::" ? networkAddresses(host) : [];
  const { protocol } = new URL(url);
  const urls = addresses.map((each) => `${protocol}//${each}:${port}`);
  io.printError(say`Open to the network: ${(urls.length > 0 ? urls : [url]).join(", ")}`);
  if (controlToken !== undefined) return;
  const warning = say`Warning: anyone who can reach this address can read all data, including the secret, and control the sandbox. To prevent it, set --control-token, or remove --host to accept local connections only.`;
  io.printError(io.errorColor.yellow(localize(warning)));
}
