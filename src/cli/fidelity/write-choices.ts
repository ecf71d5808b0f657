import { readFile, writeFile } from "node:fs/promises";
import type { Observation } from "../../core/assumptions/profile.ts";
import { withoutByteOrderMark } from "../../text/plain/byte-order-mark.ts";
import { CONFIG_FILE } from "../serving/config-file.ts";
import { unwritableFile, usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { say } from "../../text/message.ts";

/** Sets choices in the config file, with the evidence of each. Its other members stay. */
export async function writeChoices(
  choices: Readonly<Record<string, string | number>>,
  observation: Observation,
  io: Io,
): Promise<void> {
  const file = pathIn(io, CONFIG_FILE);
  const config = await readConfig(file);
  const observed = Object.fromEntries(Object.keys(choices).map((name) => [name, observation]));
  const changed = {
    ...config,
    assumptions: { ...config["assumptions"], ...choices },
    observed: { ...config["observed"], ...observed },
  };
  await writeFile(file, `${JSON.stringify(changed, null, 2)}\n`).catch((error: Error) => {
    throw unwritableFile(CONFIG_FILE, error, say`The choices are in the output above.`);
  });
}

async function readConfig(file: string): Promise<Readonly<Record<string, object>>> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "{}";
  });
  try {
    return JSON.parse(withoutByteOrderMark(text)) as Record<string, object>;
  } catch {
    throw usageError(say`The config file ${CONFIG_FILE} is not JSON: nothing was written.`);
  }
}
