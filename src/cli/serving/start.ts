import { lookup } from "node:dns/promises";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import type { Command } from "commander";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { isLoopback } from "../../core/records/webhook-url.ts";
import { networkAddresses } from "../../server/activity/network-addresses.ts";
import type { CommandOptions } from "../../server/options/options.ts";
import type { Sandbox } from "../../server/start.ts";
import { labelOf } from "../../server/options/state-kinds.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { withProgress } from "../client/progress.ts";
import { type Prepared, prepareStart } from "./prepare.ts";
import { toStartError } from "./start-error.ts";
import { say } from "../../text/message.ts";

export interface Started {
  readonly sandbox: Sandbox;
  readonly options: CommandOptions;
  readonly stateFile: string | undefined;
}

/**
 * Starts a gateway with the options of the command line, the environment and the config file.
 * @param assume pairs `NAME=CHOICE` instead of those of the command's `--assume`
 * @throws CliError if it cannot start.
 */
export async function startGateway(
  command: Command,
  io: Io,
  assume?: readonly string[],
): Promise<Started> {
  return startPrepared(await prepareStart(command, io, assume), io);
}

/** Starts a gateway in this process. @throws CliError if it cannot start. */
export async function startPrepared(prepared: Prepared, io: Io): Promise<Started> {
  const { options, sandboxOptions, stateFile, ownFolder, report } = prepared;
  const isNewFolder = ownFolder !== undefined && !existsSync(ownFolder);
  const label = stateFile ? localize(say`Opening ${labelOf(stateFile)}`) : localize(say`Starting`);
  const isSilent = options.json || options.quiet;
  const sandbox = await withProgress(io, { label: toSafeLine(label), isSilent }, async () => {
    const { startSandbox } = await import("../../server/start.ts");
    return startSandbox(sandboxOptions, report).catch((error: unknown) =>
      toStartError(error, prepared),
    );
  });
  // The folder is nothing to commit. A sandbox runs without the file too.
  if (isNewFolder)
    await writeFile(path.join(ownFolder, ".gitignore"), "*\n", { flag: "wx" }).catch(
      () => undefined,
    );
  await warnOfNetwork(sandbox, options, io);
  return { sandbox, options, stateFile };
}

/** Warns if other machines can reach the sandbox. */
export async function warnOfNetwork(
  { url, port }: Pick<Sandbox, "url" | "port">,
  { host, controlToken }: Pick<CommandOptions, "host" | "controlToken">,
  io: Io,
): Promise<void> {
  // The server listens already, so the name can be resolved.
  const [{ address } = { address: host }] = isIP(host)
    ? [{ address: host }]
    : await lookup(host, { all: true }).catch(() => []);
  if (isLoopback(address)) return;
  const addresses = address === "0.0.0.0" || address === "::" ? networkAddresses(address) : [];
  const { protocol } = new URL(url);
  const urls = addresses.map((each) => `${protocol}//${each}:${port}`);
  io.printError(say`Open to the network: ${(urls.length > 0 ? urls : [url]).join(", ")}`);
  if (controlToken !== undefined) return;
  io.printError(
    io.errorColor.yellow(
      localize(
        say`Warning: anyone who can reach this address can read all data, including the secret, and control the sandbox. To prevent it, set --control-token, or remove --host to accept local connections only.`,
      ),
    ),
  );
}
