import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("streams-and-waits.js", import.meta.url));
const run = promisify(execFile);

/** The heap, in bytes after collection, of a process in which 125 streams and waits a round were opened and closed. */
async function heapAfter(rounds: number): Promise<number> {
  const { stdout } = await run(process.execPath, ["--expose-gc", PROGRAM, String(rounds)]);
  return Number(stdout);
}

describe("the heap", { timeout: 60_000 }, () => {
  it("is as large after 1,000 streams and waits as it is in a fresh process", async () => {
    const [fresh, used] = await Promise.all([heapAfter(1), heapAfter(10)]);
    // A listener that stays for each of them makes it 80 % larger.
    expect(used / fresh).toBeLessThan(1.2);
  });
});
