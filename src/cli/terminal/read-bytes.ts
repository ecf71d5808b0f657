import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { unreadable } from "../../text/file-reason.ts";
import { usageError } from "./errors.ts";
import { type Io, pathIn } from "./io.ts";
import { localize } from "./language.ts";
import { say } from "../../text/message.ts";

/**
 * Reads a file of the command line; `-` is stdin.
 * @param maxBytes stops after this number of bytes and one more, so that the caller can refuse a longer file
 * @throws CliError if the file cannot be read.
 */
export async function readBytes(
  file: string,
  io: Pick<Io, "stdin" | "cwd" | "printError">,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  if (file === "-") return readUpTo(maxBytes + 1, io.stdin);
  try {
    return await readFileUpTo(maxBytes + 1, file, io);
  } catch (error) {
    const reason = unreadable(error as Error);
    throw usageError(
      say`${file} cannot be read: ${reason}.`,
      say`Check its path, or pass - to read the standard input.`,
    );
  }
}

async function readFileUpTo(
  count: number,
  file: string,
  io: Pick<Io, "cwd" | "printError">,
): Promise<Buffer> {
  const path = pathIn(io, file);
  const isPipe = (await stat(path)).isFIFO();
  const stream = createReadStream(path, { end: count - 1 });
  // A pipe opens when a program has opened it for writing.
  const notice = isPipe
    ? setTimeout(() => io.printError(waitingFor(file)), PATIENCE_MS)
    : undefined;
  try {
    await once(stream, "open");
  } finally {
    clearTimeout(notice);
  }
  return readUpTo(count, stream);
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

const PATIENCE_MS = 300;

function waitingFor(file: string): string {
  return localize(
    say`${file} is a named pipe: waiting for a program that writes to it. Ctrl-C to quit.`,
  );
}
