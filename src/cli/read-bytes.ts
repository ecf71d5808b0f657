import { readFile } from "node:fs/promises";
import { usageError } from "./errors.ts";
import { type Io, pathIn } from "./io.ts";
import { localize } from "./language.ts";

/**
 * Reads a file of the command line; `-` is stdin.
 * @throws CliError if the file cannot be read.
 */
export async function readBytes(file: string, io: Pick<Io, "stdin" | "cwd">): Promise<Buffer> {
  if (file === "-") {
    const chunks: Buffer[] = [];
    for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }
  try {
    return await readFile(pathIn(io, file));
  } catch (error) {
    throw usageError(
      localize({
        en: `${file} cannot be read: ${(error as Error).message}.`,
        pt: `${file} não pode ser lido: ${(error as Error).message}.`,
      }),
    );
  }
}
