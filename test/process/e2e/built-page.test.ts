import { expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";

it("the built program has the inspector's files", async () => {
  await using sandbox = await startServe(["--memory"]);
  const files: Record<string, string> = {
    "": "<!doctype html>",
    "inspector.css": "{",
    "inspector.js": "function",
  };
  for (const [name, part] of Object.entries(files)) {
    const response = await fetch(`${sandbox.url}/_sandbox/${name}`);
    expect([name, response.status]).toEqual([name, 200]);
    expect((await response.text()).toLowerCase()).toContain(part);
  }
});
