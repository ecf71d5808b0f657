import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callsTo } from "../../support/calls.ts";
import { BIN, type Serving, startServe } from "../../support/cli.ts";
import { runMain } from "../../support/main.ts";
import { startOnTerminal } from "../../support/terminal.ts";
import { lacks } from "../../support/lacks.ts";

describe("after 110 calls", { timeout: 120_000 }, () => {
  let serving: Serving;
  let env: Record<string, string>;
  beforeAll(async () => {
    serving = await startServe();
    env = { PIX_SANDBOX_URL: serving.url };
    const calls = callsTo(serving.url);
    for (let count = 1; count <= 110; count++)
      await calls.createPayin({ webhook_url: "http://127.0.0.1:9/", description: `call ${count}` });
  }, 120_000);
  afterAll(() => serving[Symbol.asyncDispose]());

  it("`requests` shows the last twenty, the newest last, and how to see the others", async () => {
    const { code, stdout, stderr } = await runMain(["requests"], { env });
    const [, ...rows] = stdout.trimEnd().split("\n");

    expect(code).toBe(0);
    expect(rows.map((row) => row.split(" ")[0])).toEqual(namesFrom(91, 110));
    expect(stderr).toBe("90 more: --limit 110, or --before req_91\n");
    const all = await runMain(["requests", "--limit", "110"], { env });
    expect(all.stdout.trimEnd().split("\n")).toHaveLength(111);
    expect(all.stderr).toBe("");
  });

  it.skipIf(lacks("python3")).each([
    [80, "en", "90 more: --limit 110, or --before req_91"],
    [200, "pt-BR", "Mais 90: --limit 110, ou --before req_91"],
  ])("`requests` fits a terminal of %i columns in %s", async (columns, language, more) => {
    const command = `stty cols ${columns}; TZ=Asia/Tokyo exec "${process.execPath}" "${BIN}" requests --url ${serving.url} --lang ${language}`;
    await using terminal = startOnTerminal(["sh", "-c", command]);
    expect(await terminal.ended).toBe(0);
    // oxlint-disable-next-line no-control-regex -- colors
    const lines = terminal.screen.replaceAll(/\u001b\[\d+m/g, "").split("\r\n");
    const rows = lines.filter((line) => line.startsWith("req_"));

    expect(rows.map((row) => row.split(" ")[0])).toEqual(namesFrom(91, 110));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    const { control } = callsTo(serving.url);
    const { data } = await control<{ data: { at: string }[] }>(
      "GET",
      "/requests?order=desc&limit=1",
    );
    const inTokyo = new Date(Date.parse(data[0]?.at ?? "") + 9 * 3_600_000).toISOString();
    expect(rows.at(-1)).toContain(`  ${inTokyo.slice(11, 23)}+09:00  `);
    expect(lines).toContain(more);
  });
});

function namesFrom(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `req_${first + index}`);
}
