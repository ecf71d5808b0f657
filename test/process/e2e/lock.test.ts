import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCli, type Serving, startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import type { Ended, RunOptions } from "../../support/process.ts";
import { callsTo } from "../../support/calls.ts";
import { serveUnder, startUnder, untilReady } from "../../support/traced.ts";
import { lacks } from "../../support/lacks.ts";
import type { StoredState } from "./disk.ts";

const webhook_url = "http://127.0.0.1:9/hook";
/** Much of this is waiting for programs that start. */
const AT_ONCE = { concurrent: true, timeout: 120_000 };
/** As a container does it: other mounts, other process ids, another host name. */
const CONTAINER = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child"];

// Named pipes are named after real paths, wherever a temporary folder is.
describe.skipIf(process.platform === "win32")("a second sandbox on a state", AT_ONCE, () => {
  it.each<[string, (folder: string) => Promise<{ file: string } & RunOptions>]>([
    [
      "another temporary folder",
      async (folder) => {
        await mkdir(path.join(folder, "tmp"));
        const file = path.join(folder, "kept/state.json");
        return { file, env: { TMPDIR: path.join(folder, "tmp") } };
      },
    ],
    [
      "a path through a symbolic link",
      async (folder) => {
        await symlink(path.join(folder, "kept"), path.join(folder, "link"));
        return { file: path.join(folder, "link/state.json") };
      },
    ],
    [
      "a symbolic link of the file",
      async (folder) => {
        await symlink("kept/state.json", path.join(folder, "link.json"));
        return { file: path.join(folder, "link.json") };
      },
    ],
  ])("is refused by name although it has %s", async (_title, prepare) => {
    await using folder = await createFolder();
    await using holder = await startServe(["--state", folder.at("kept/state.json")]);
    const { file, ...options } = await prepare(folder.path);

    expectRefused(await runCli(["serve", "--port", "0", "--state", file], options), holder);
    await holder.stop("SIGKILL");
    await using next = await startServe(["--state", file], options);
    expect((await next.stop()).code).toBe(0);
    expect(await readdir(folder.at("kept"))).toEqual(["state.json"]);
  });

  it("is refused although the folder is mounted elsewhere in another container", async (context) => {
    if (lacks("namespaces")) context.skip();
    await using folder = await createFolder();
    await mkdir(folder.at("volume"));
    await mkdir(folder.at("mounted"));
    const script = `hostname elsewhere && mount --bind ${folder.at("volume")} ${folder.at("mounted")} && exec "$@"`;
    const wrapper = [...CONTAINER, "sh", "-c", script, "sh"];
    const inside = ["--state", folder.at("mounted/state.json")];
    const outside = ["--state", folder.at("volume/state.json")];
    await using holder = await serveUnder(wrapper, inside);
    const refused = await runCli(["serve", "--port", "0", ...outside]);

    expectRefused(refused, holder);
    expect(refused.stderr).toContain(`process id ${holder.ready.pid}.`);
    await holder.stop("SIGKILL");
    await using next = await startServe(outside);
    expectRefused(await startUnder(wrapper, inside).ended, next);
    expect((await next.stop()).code).toBe(0);
    expect(await readdir(folder.at("volume"))).toEqual(["state.json"]);
  });

  it("is the only one of many that start at once after a crash, and has all that was acknowledged", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    const acknowledged: string[] = [];
    for (let round = 0; round < 2; round++) {
      const starts = Array.from({ length: 3 }, () =>
        startUnder([], ["--json", "--state", file], {}),
      );
      const ready = await Promise.all(starts.map((program) => untilReady(program)));
      const [holder, ...more] = ready.filter((serving) => serving !== undefined);
      expect(more).toEqual([]);
      const others = starts.filter((program) => program.process.pid !== holder?.process.pid);
      for (const { ended } of others) expectRefused(await ended, holder);
      const calls = callsTo(holder?.url ?? "");
      acknowledged.push((await calls.createPayin({ webhook_url })).body.id);
      await holder?.stop("SIGKILL");
    }
    await using last = await startServe(["--state", file]);
    expect((await last.stop()).code).toBe(0);
    expect((await idsIn(file)).toSorted()).toEqual(acknowledged.toSorted());
    expect(await readdir(folder.path)).toEqual(["state.json"]);
  });
});

function expectRefused({ code, stderr }: Ended, holder: Serving | undefined): void {
  expect({ code, stderr }).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(`process id ${holder?.ready.pid}`) as string,
  });
}

async function idsIn(file: string): Promise<readonly string[]> {
  const { transactions } = JSON.parse(await readFile(file, "utf8")) as StoredState;
  return transactions.map(({ record }) => record.id);
}
