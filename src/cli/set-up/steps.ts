// The steps of `init`: files that it creates or adds to, or leaves as they are.
import { access, appendFile, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { unwritableFile, usageError } from "../terminal/errors.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, say } from "../../text/message.ts";

/** One file of the set-up. */
export interface Step {
  readonly file: string;
  /** The text to write; undefined if the file exists already. */
  readonly text?: string;
  /** Whether the text is added to an existing file. */
  readonly isAddition?: boolean;
  /** What is in the file, for the user. */
  readonly about?: readonly Message[];
  /** What the user has to add to an existing file. */
  readonly add?: string;
}

/** The step for a file that is created unless it exists. */
export async function planFile(folder: string, file: string, text: string): Promise<Step> {
  return (await exists(folder, file)) ? { file } : { file, text };
}

/**
 * Writes the text of a step. Never overwrites a file.
 * @throws CliError if the file cannot be written.
 */
export async function applyStep(folder: string, step: Step): Promise<void> {
  const { file, text = "", isAddition = false } = step;
  try {
    await (isAddition
      ? appendFile(path.join(folder, file), text)
      : writeFile(path.join(folder, file), text, { flag: "wx" }));
  } catch (error) {
    throw unwritableFile(
      file,
      error as Error,
      say`Make the folder writable, then run ${PROGRAM} init again.`,
    );
  }
}

/** @throws CliError for a file that cannot be read. */
export async function readText(folder: string, file: string): Promise<string> {
  return readFile(path.join(folder, file), "utf8").catch(
    ({ code, message }: NodeJS.ErrnoException) => {
      throw code === "EISDIR"
        ? unusable(say`${file} is a folder, not a file.`)
        : unusable(say`${file} cannot be read: ${message}.`);
    },
  );
}

/** The error for a file of the project that cannot be used as it is. */
export function unusable(reason: Message): Error {
  return usageError(reason, say`Correct it, then run ${PROGRAM} init again.`);
}

export async function exists(folder: string, file: string): Promise<boolean> {
  return access(path.join(folder, file)).then(
    () => true,
    () => false,
  );
}
