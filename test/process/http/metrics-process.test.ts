import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startProcess } from "../../support/process.ts";

const BUILT = fileURLToPath(new URL("../../../dist/index.js", import.meta.url));

describe("a process whose metrics were scraped", () => {
  it("loads the library at the first scrape only, and ends by itself when the sandbox is closed", async () => {
    const source = `
      import { createRequire } from "node:module";
      import { startSandbox } from ${JSON.stringify(BUILT)};
      const { cache } = createRequire(${JSON.stringify(BUILT)});
      const isLoaded = () => Object.keys(cache).some((file) => file.endsWith("/chunks/metrics.cjs"));
      const sandbox = await startSandbox();
      await sandbox.payins.create();
      const before = isLoaded();
      const text = await (await fetch(sandbox.url + "/_sandbox/metrics")).text();
      console.log(before, isLoaded(), text.includes("nodejs_eventloop_lag_p99_seconds"));
      await sandbox.close();`;
    await using program = startProcess(process.execPath, ["--input-type=module", "-e", source]);
    expect(await program.ended).toMatchObject({
      code: 0,
      signal: null,
      stdout: "false true true\n",
      stderr: "",
    });
  });
});
