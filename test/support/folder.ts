import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

export async function createFolder(): Promise<
  AsyncDisposable & { readonly path: string; at(name: string): string }
> {
  const folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-"));
  return {
    path: folder,
    at: (name) => path.join(folder, name),
    // A process that was killed may still write its last file.
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
