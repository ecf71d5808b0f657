import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";

/** How large the page may be, compressed. */
const MAX_BYTES = 70_000;

it("the built program has the inspector's files", async () => {
  await using sandbox = await startServe(["--memory"]);
  const files: Record<string, string> = {
    "": "<!doctype html>",
    "inspector.css": "{",
    "inspector.js": "function",
  };
  let bytes = 0;
  for (const [name, part] of Object.entries(files)) {
    const response = await fetch(`${sandbox.url}/_sandbox/${name}`);
    expect([name, response.status]).toEqual([name, 200]);
    const text = await response.text();
    expect(text.toLowerCase()).toContain(part);
    bytes += gzipSync(text, { level: 9 }).length;
  }
  expect(bytes).toBeLessThan(MAX_BYTES);
});
