import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StateInUseError } from "../../src/store/errors.ts";
import { lock } from "../../src/store/lock.ts";

/** So many at once that each step of one falls between any two of another. */
const AT_ONCE = 12;
const ROUNDS = 30;

// Where the sockets are; named pipes leave nothing behind.
describe.skipIf(process.platform === "win32")("the lock of a state file", () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp("/tmp/pix-lock-");
    file = path.join(folder, "state.json");
    vi.stubEnv("TMPDIR", folder);
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  /** Leaves what one leaves that was killed: the socket of a lock that it held, behind which there is nobody. */
  async function leaveDead(): Promise<void> {
    const before = await readdir(folder);
    const release = await lock(file);
    const [name = ""] = (await readdir(folder)).filter((one) => !before.includes(one));
    const address = path.join(folder, name);
    await rename(address, `${address}.aside`);
    await release();
    await rename(`${address}.aside`, address);
  }

  it("is had by exactly one of many that want it at once, however many died with it", async () => {
    const winners: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (let dead = 0; dead < round % 4; dead++) await leaveDead();
      const wanted = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => lock(file)));
      const held = wanted.filter((one) => one.status === "fulfilled");
      const refused = wanted.filter((one) => one.status === "rejected");
      winners.push(held.length);
      for (const { reason } of refused) {
        expect(reason).toBeInstanceOf(StateInUseError);
        expect((reason as Error).message).toContain(`process id ${process.pid}.`);
      }
      for (const { value: release } of held) await release();
      expect(await readdir(folder)).toEqual([]);
    }
    expect(winners).toEqual(Array.from({ length: ROUNDS }, () => 1));
  });

  it("is kept while others want it one after the other", async () => {
    const release = await lock(file);
    for (let other = 0; other < AT_ONCE; other++)
      await expect(lock(file)).rejects.toThrow(StateInUseError);
    await release();
    await (
      await lock(file)
    )();
  });

  it("is refused where one listens that says nothing", async () => {
    const release = await lock(file);
    const [name = ""] = await readdir(folder);
    await release();
    // A stopped process takes connections, and does not answer them.
    const silent = createServer(() => undefined);
    silent.listen(path.join(folder, name));
    await once(silent, "listening");
    await expect(lock(file)).rejects.toThrow("is in use by another sandbox.");
    silent.close();
  });
});
