import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/index.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { startProgram } from "../../support/process.ts";

interface Figure {
  readonly name: string;
  readonly ratios: readonly number[];
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
  readonly absolute: string;
  readonly cpu?: { readonly ratios: readonly number[]; readonly absolute: string };
  readonly isGeneratorBusy?: boolean;
}
interface Figures {
  isReached(figure: Figure): boolean | undefined;
  formatMarkdown(figures: readonly Figure[]): string;
}

interface Rounds {
  measureInTurns(
    rounds: number,
    sides: Readonly<Record<string, () => Promise<number>>>,
  ): Promise<Record<string, number[]>>;
}

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../bench/${name}`, import.meta.url));
const run = (...args: readonly string[]) => startProgram(fileOf("index.js"), args);

describe("npm run bench", { timeout: PATIENCE_MS }, () => {
  it("refuses an unknown measurement, and docs/performance.md names all that exist", async () => {
    await using program = run("nothing");
    const { code, stderr } = await program.ended;
    expect(code).toBe(2);
    expect(stderr).toContain('Unknown measurement "nothing".');
    const known = /Use one of: (.*)\./.exec(stderr)?.[1]?.split(", ") ?? [];
    expect(known).toContain("payins");
    const page = await readFile(fileOf("../../docs/performance.md"), "utf8");
    expect(known.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe("a figure", () => {
  let figures: Figures;
  beforeAll(async () => {
    figures = await import(fileOf("figures.js"));
  });
  const figure = { name: "a / b", ratios: [0.7, 0.9, 5], absolute: "9/s / 10/s" };
  const cpu = { ratios: [0.4], absolute: "CPU 10 µs / 4 µs" };

  it.each([
    [{}, undefined],
    [{ target: { atLeast: 0.9 } }, true],
    [{ target: { atLeast: 0.91 } }, false],
    [{ target: { atMost: 0.9 } }, true],
    [{ target: { atMost: 0.89 } }, false],
  ])("reaches its target by its median: %j", (more, reached) => {
    expect(figures.isReached({ ...figure, ...more })).toBe(reached);
  });

  it("counts the lower ratio when the generator was busy", () => {
    const measured = { ...figure, target: { atLeast: 0.9 }, cpu };
    expect(figures.isReached({ ...measured, isGeneratorBusy: false })).toBe(true);
    expect(figures.isReached({ ...measured, isGeneratorBusy: true })).toBe(false);
  });

  it("is a row with both ratios, their ranges and the medians", () => {
    expect(figures.formatMarkdown([{ ...figure, target: { atLeast: 0.9 }, cpu }])).toContain(
      "| a / b | ≥ 0.9 | 0.90 (0.70 to 5.00) | 0.40 (0.40 to 0.40) | reached | 9/s / 10/s; CPU 10 µs / 4 µs |",
    );
  });
});

describe("sides", () => {
  it("are measured in turns, in alternating order, after a round that does not count", async () => {
    const { measureInTurns }: Rounds = await import(fileOf("figures.js"));
    const turns: string[] = [];
    const side = (name: string) => async () => turns.push(name);
    const results = await measureInTurns(2, { ours: side("ours"), other: side("other") });
    expect(turns).toEqual(["ours", "other", "other", "ours", "ours", "other"]);
    expect(results).toEqual({ ours: [4, 5], other: [3, 6] });
  });
});

describe("the load generator", { timeout: PATIENCE_MS }, () => {
  it("gets responses of one size from the sandbox and the bare server", async () => {
    await using sandbox = await startSandbox();
    await using bare = startProgram(fileOf("processes/bare.js"), ["server"]);
    const [line = ""] = await bare.lines("stdout", 1);
    const barePort: number = JSON.parse(line).port;
    const ours = await load({ port: Number(new URL(sandbox.url).port) });
    const other = await load({ port: barePort });
    expect(ours).toMatchObject({ requests: 100, bytes: expect.any(Number) });
    expect(other).toMatchObject({ requests: 100, bytes: ours["bytes"] });
    const payins = await fetch(`${sandbox.url}/_sandbox/payins?limit=1`);
    expect(payins.headers.get("x-total-count")).toBe("100");
  });

  it("ends at a response that is not 2xx", async () => {
    await using sandbox = await startSandbox();
    const port = Number(new URL(sandbox.url).port);
    await expect(load({ port, path: "/v1/nothing" })).resolves.toEqual({ exitCode: 1 });
  });
});

/** Sends 100 charges over 4 connections. */
async function load(options: object): Promise<Record<string, unknown>> {
  const generator = fork(
    fileOf("processes/load.js"),
    [JSON.stringify({ pid: process.pid, connections: 4, ...options })],
    { stdio: "ignore" },
  );
  try {
    generator.send(100);
    return await Promise.race([
      once(generator, "message").then(([result]) => result),
      once(generator, "exit").then(([exitCode]) => ({ exitCode })),
    ]);
  } finally {
    generator.kill();
  }
}
