import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Observation } from "../../core/assumptions/profile.ts";
import { codeIn, type Exchange } from "../../fidelity/exchange.ts";
import type { Verdict } from "../../fidelity/own-verdicts.ts";
import { makeFolders } from "../../platform/make-folders.ts";
import { say } from "../../text/message.ts";
import { withoutByteOrderMark } from "../../text/plain/byte-order-mark.ts";
import { unwritableFile, usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";

/**
 * Sets what was observed in a file, with the evidence: the config file, or a profile. Its other members stay.
 * @returns how many choices
 */
export async function writeChoices(
  file: string,
  verdicts: readonly Verdict[],
  { at, by }: Pick<Observation, "at" | "by">,
  io: Io,
): Promise<number> {
  const place = pathIn(io, file);
  const content = await readObject(place, file);
  // A row with one choice has nothing to set.
  const seen = verdicts.filter(({ choice }) => choice !== null && choice !== "only");
  const choices = seen.map(({ name, choice }) => [name, choice]);
  const observed = seen.map(({ name, evidence }) => [
    name,
    { at, by, evidence: [...new Set(evidence.map(shortly))] },
  ]);
  const changed = {
    ...content,
    assumptions: { ...content["assumptions"], ...Object.fromEntries(choices) },
    observed: { ...content["observed"], ...Object.fromEntries(observed) },
  };
  try {
    await makeFolders(path.resolve(path.dirname(place)));
    await writeFile(place, `${JSON.stringify(changed, null, 2)}\n`);
  } catch (error) {
    throw unwritableFile(file, error as Error, say`The choices are in the output above.`);
  }
  return seen.length;
}

/** Whether a config file lists credentials. */
export async function hasCredentials(file: string, io: Io): Promise<boolean> {
  const { credentials } = await readObject(pathIn(io, file), file);
  return Array.isArray(credentials) && credentials.length > 0;
}

function shortly({ method, path: where, response }: Exchange): string {
  const code = codeIn(response) ?? "";
  // It comes from outside: anything but a word says nothing.
  return [method, where, response.status, ...(/^\w{1,40}$/.test(code) ? [code] : [])].join(" ");
}

/** @param file its name in messages */
async function readObject(place: string, file: string): Promise<Readonly<Record<string, object>>> {
  const text = await readFile(place, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "{}";
  });
  try {
    return JSON.parse(withoutByteOrderMark(text)) as Record<string, object>;
  } catch {
    throw usageError(say`The file ${file} is not JSON: nothing was written.`);
  }
}
