import { readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Observation } from "../../core/assumptions/table.ts";
import * as z from "zod";
import { codeWord, type Exchange, toJson } from "../../fidelity/exchange.ts";
import type { Verdict } from "../../fidelity/own-verdicts.ts";
import { makeFolders, replaceFile } from "../../platform/folders.ts";
import { unreadable } from "../../text/file-reason.ts";
import { say } from "../../text/message.ts";
import { withoutByteOrderMark } from "../../wire/json.ts";
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
  const content = await readChoices(file, io);
  // A row with one choice has nothing to set.
  const seen = verdicts.filter(({ choice }) => choice !== null && choice !== "only");
  const choices = seen.map(({ name, choice }) => [name, choice]);
  const observed = seen.map(({ name, evidence }) => [
    name,
    { at, by, evidence: [...new Set(evidence.map(shortly))] },
  ]);
  const changed = {
    ...content,
    assumptions: { ...content.assumptions, ...Object.fromEntries(choices) },
    observed: { ...content.observed, ...Object.fromEntries(observed) },
  };
  try {
    await makeFolders(path.resolve(path.dirname(place)));
    await replaceText(place, `${JSON.stringify(changed, null, 2)}\n`);
  } catch (error) {
    throw unwritableFile(file, error as Error, say`The choices are in the output above.`);
  }
  return seen.length;
}

/** Writes a file that a person has written, too: a full disk must not leave half of it. A link and the mode stay. */
async function replaceText(place: string, text: string): Promise<void> {
  const file = await realpath(place).catch(() => place);
  const { mode } = await stat(file).catch(() => ({ mode: 0o666 }));
  const temporary = `${file}.new`;
  try {
    await writeFile(temporary, text, { mode });
    await replaceFile(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function shortly({ method, path: where, response }: Exchange): string {
  return [method, where, response.status, codeWord(response)].filter(Boolean).join(" ");
}

const choicesSchema = z.looseObject({
  assumptions: z.looseObject({}).exactOptional(),
  observed: z.looseObject({}).exactOptional(),
  credentials: z.array(z.unknown()).exactOptional(),
});

/**
 * Reads a file in which choices can be set.
 * @throws CliError if it cannot be read, or is something else
 */
export async function readChoices(file: string, io: Io): Promise<z.infer<typeof choicesSchema>> {
  const text = await readFile(pathIn(io, file), "utf8").catch((error: Error & { code: string }) => {
    if (error.code === "ENOENT") return "{}";
    throw usageError(say`${file} cannot be read: ${unreadable(error)}.`);
  });
  const { data } = choicesSchema.safeParse(toJson(withoutByteOrderMark(text)));
  if (!data) throw usageError(say`The file ${file} is not a config file or a profile in JSON.`);
  return data;
}
