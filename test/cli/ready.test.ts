import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { VERSION } from "../../src/wire/names.ts";
import { callsTo } from "../support/calls.ts";
import { runMain, runMainJson, serveMain } from "../support/main.ts";

describe("ready", () => {
  it("shows the version, the state, the clock, what is armed and what is changed", async () => {
    await using serving = await startSandbox({ assumptions: { "payout.rival": "reject" } });
    const { control } = callsTo(serving.url);
    await control("POST", "/clock/advance", { seconds: 7200 });
    for (const times of [1, 2])
      await control("POST", "/faults", { on: "webhook", effect: "duplicate", times });

    expect(await runMainJson(["ready", "--url", serving.url])).toEqual({
      ready: true,
      version: VERSION,
      state_file: null,
      now: expect.stringMatching(/Z$/),
      mode: "real",
      ahead_seconds: 7200,
      faults: 2,
      assumptions: { "payout.rival": "reject" },
    });
    const { stdout } = await runMain(["ready", "--url", serving.url]);
    expect(stdout.split("\n")).toEqual([
      `pix-sandbox ${VERSION} is ready at ${serving.url}`,
      "  State        in memory",
      expect.stringMatching(/^ {2}Clock {8}\S+ {2}real, 2 h ahead of real time$/),
      "  Faults       2 armed",
      `               npx pix-sandbox faults list --url ${serving.url}`,
      `               npx pix-sandbox faults clear --url ${serving.url}`,
      "  Assumptions  payout.rival=reject (default cancel)",
      "               to undo one, start with --assume NAME=DEFAULT",
      `  Undo all     npx pix-sandbox reset --url ${serving.url}`,
      "               sets back the clock, assumptions and webhook URLs;",
      "               deletes all payins, payouts, webhooks, keys and faults",
      "",
    ]);
    const portuguese = await runMain(["ready", "--url", serving.url, "--lang", "pt-BR"]);
    expect(portuguese.stdout).toMatch(/^ {2}Premissas +payout\.rival=reject \(padrão cancel\)$/m);
    for (const line of (stdout + portuguese.stdout).split("\n"))
      expect(line.length).toBeLessThanOrEqual(80);
  });

  it("says the short answer of a protected sandbox without its token", async () => {
    await using serving = await serveMain(["--memory", "--control-token", "s3cret"]);
    const ready = ["ready", "--url", serving.url];
    const short = { ready: true, version: VERSION };
    expect(await runMainJson(ready)).toEqual(short);
    expect(await runMain(ready)).toMatchObject({
      code: 0,
      stdout: `pix-sandbox ${VERSION} is ready at ${serving.url}\n`,
    });
    expect(await runMainJson([...ready, "--control-token", "wrong"])).toEqual(short);
    expect(await runMainJson([...ready, "--control-token", "s3cret"])).toMatchObject({
      faults: 0,
      assumptions: {},
    });
  });

  it("says that a sandbox is not ready, and waits until it is", async () => {
    const states = [false, false, false, true];
    const server = createServer((_request, response) => {
      const ready = states.shift() ?? true;
      response.writeHead(ready ? 200 : 503).end(JSON.stringify({ ready, version: VERSION }));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const ready = ["ready", "--url", `http://127.0.0.1:${port}`];
    const { code, stderr } = await runMain(ready);
    expect([code, stderr]).toEqual([4, expect.stringContaining("The sandbox is not ready")]);
    expect(await runMain([...ready, "--wait"])).toMatchObject({ code: 0 });
    expect(states).toEqual([]);
    server.close();
  });

  it("tells of a sandbox of another version", async () => {
    const body = JSON.stringify({ ready: true, version: "0.0.9" });
    const server = createServer((_request, response) => response.end(body));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const { stdout } = await runMain(["ready", "--url", `http://127.0.0.1:${port}`]);
    server.close();
    expect(stdout).toContain(`\nThis command is pix-sandbox ${VERSION}.\n`);
  });
});

describe("a start at a busy port", () => {
  it.each([[], ["--https"]])("says that a sandbox uses it: %j", async (...more) => {
    await using serving = await serveMain(["--memory", ...more]);
    const port = String(serving.ready.port);
    const { code, stderr } = await runMain(["serve", "--memory", "--port", port]);
    expect(code).toBe(7);
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use by pix-sandbox ${VERSION}.`);
  });
});
