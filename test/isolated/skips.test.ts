import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it, vi } from "vitest";
import { lacks } from "../support/lacks.ts";

const TEST = fileURLToPath(new URL("..", import.meta.url));

afterEach(() => vi.unstubAllEnvs());

it("a test is skipped for what the machine lacks, or on another operating system, and for nothing else", () => {
  const files = readdirSync(TEST, { recursive: true, encoding: "utf8" });
  const skips = files
    .filter((name) => name.endsWith(".ts") && !/node_modules|skips\.test/.test(name))
    .flatMap((name) => readFileSync(TEST + name, "utf8").split("\n"))
    .filter((line) => /\b(?:skip|skipIf|runIf|todo)\(/.test(line));
  expect(skips.length).toBeGreaterThan(40);
  expect(skips.filter((line) => !/\blacks\(|process\.platform/.test(line))).toEqual([]);
});

it.skipIf(process.platform !== "linux")("in CI, only what is on the list may be missing", () => {
  vi.stubEnv("PATH", "/bin/none");
  vi.stubEnv("CI", "");
  expect(lacks("curl")).toBe(true);
  vi.stubEnv("CI", "true");
  expect(lacks("go", "faketime")).toBe(true);
  expect(() => lacks("go", "curl")).toThrow("Install curl:");
});
