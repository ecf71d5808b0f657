import { createReadStream } from "node:fs";
import { unreadable } from "../../text/file-reason.ts";
import { usageError } from "./errors.ts";
import { type Io, pathIn } from "./io.ts";
import { say } from "../../text/message.ts";

/**
 * Reads a file of the command line; `-` is stdin.
 * @param maxBytes stops after this number of bytes and one more, so that the caller can refuse a longer file
 * @throws CliError if the file cannot be read.
 */
export async function readBytes(
  file: string,
  io: Pick<Io, "stdin" | "cwd">,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  if (file === "-") return readUpTo(maxBytes + 1, io.stdin);
  try {
    return await readUpTo(maxBytes + 1, createReadStream(pathIn(io, file)));
  } catch (error) {
    const reason = unreadable(error as Error);
    throw usageError(
      say`${file} cannot be read: ${reason}.`,
      say`Check its path, or pass - to read the standard input.`,
    );
  }
}

async function readUpTo(count: number, stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    chunks.push(bytes);
    if (size >= count) break;
  }
  return Buffer.concat(chunks, Math.min(size, count));
}
