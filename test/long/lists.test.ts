import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { runCli, startServe } from "../support/cli.ts";
import { BUYER, callsTo } from "../support/calls.ts";

const MB = 1_000_000;
/** In all they are more than one text can hold; the short form has fewer. */
const COUNT = process.env["PIX_TEST_LONG"] === "short" ? 60 : 560;

describe.skipIf(process.platform !== "linux")(
  "a list of payins with names of 1 MB",
  { timeout: 600_000 },
  () => {
    it("is answered whatever its size, without taking memory, and commands say what to do", async () => {
      await using sandbox = await startServe(["--memory", "--clock", "frozen", "--quiet"]);
      const calls = callsTo(sandbox.url);
      const long = { ...BUYER, buyer_name: "x".repeat(MB), webhook_url: "http://127.0.0.1:9/" };
      for (let count = 0; count < COUNT; count++)
        expect((await calls.createPayin(long)).status).toBe(200);

      const before = await memoryOf(sandbox.process.pid);
      const answer = await fetch(`${sandbox.url}/_sandbox/payins?limit=1000`);
      let length = 0;
      for await (const chunk of answer.body ?? []) length += chunk.length;
      expect(answer.status).toBe(200);
      expect(length).toBeGreaterThan(COUNT * MB);
      expect((await memoryOf(sandbox.process.pid)) - before).toBeLessThan(100 * MB);

      const list = ["payin", "list", "--url", sandbox.url, "--json", "--limit"];
      const some = await runCli([...list, "20"]);
      expect([some.code, some.stdout.length > 20 * MB]).toEqual([0, true]);
      if (COUNT * MB < 2 ** 29) return;
      const { code, stdout, stderr } = await runCli([...list, "1000"]);
      expect({ code, stdout, error: JSON.parse(stderr) as unknown }).toMatchObject({
        code: 1,
        stdout: "",
        error: { error: { code: "TOO_LONG", hint: expect.stringContaining("--limit") } },
      });
    });
  },
);

/** How much memory a process has at most had, in bytes. */
async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
