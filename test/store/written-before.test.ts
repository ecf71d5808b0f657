import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startSandbox } from "../../src/server/start.ts";

/** A state, a journal beside it and two snapshots, as version 0.1.0 left them when it was killed. */
const BEFORE = fileURLToPath(new URL("written-before/", import.meta.url));

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-before-"));
  file = path.join(folder, "state");
  await cp(BEFORE, folder, { recursive: true });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a state that was written before", () => {
  it("opens without a word", async () => {
    const report = (line: string): never => {
      throw new Error(line);
    };
    await using sandbox = await startSandbox({ stateFile: file, report });
    const get = async (route: string): Promise<{ data: Record<string, unknown>[] }> =>
      (await (await fetch(`${sandbox.url}/_sandbox${route}`)).json()) as {
        data: Record<string, unknown>[];
      };
    expect((await get("/payins")).data).toMatchObject([
      { status: "completed", buyer_name: "José Ação 😀", integration: "shop" },
      // Both have expired since then.
      { status: "expired" },
      { status: "expired" },
    ]);
    expect((await get("/payouts")).data).toMatchObject([{ status: "waiting", value: 7 }]);
    expect((await get("/deliveries")).data[0]).toMatchObject({ type: "payin.paid" });
    expect((await get("/faults")).data).toMatchObject([
      { effect: "error=EXTERNAL_ERROR", used: 0 },
    ]);
    expect((await get("/snapshots")).data).toMatchObject([
      { name: "before", integration: null, payins: 2, payouts: 1 },
      { name: "own", integration: "shop", payins: 2, payouts: 1 },
    ]);
    expect([sandbox.seed, sandbox.secret]).toEqual([
      "old",
      "whsec_zZ/61ud48VoJuRtIKLi5KXdaWN51c6QQ",
    ]);
    for (const [name, headers] of [
      ["before", {}],
      ["own", { "x-api-token": "shop" }],
    ] as const) {
      const route = `${sandbox.url}/_sandbox/snapshots/${name}/restore`;
      expect((await fetch(route, { method: "POST", headers })).status).toBe(200);
      expect((await get("/payins")).data).toHaveLength(2);
    }
    await sandbox.close();
    const { payins, payouts } = JSON.parse(await readFile(file, "utf8")) as Record<
      string,
      unknown[]
    >;
    expect([payins?.length, payouts?.length]).toEqual([2, 1]);
    expect((await readdir(folder)).filter((name) => name.endsWith(".journal"))).toEqual([]);
  });
});
