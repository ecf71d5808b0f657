import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/index.ts";
import { callsTo } from "../../support/calls.ts";
import { runCli, startCli, startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { lacks } from "../../support/lacks.ts";
import { runMain } from "../../support/main.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { freePort } from "../../support/process.ts";
import { serveArguments, untilReady } from "../../support/serving.ts";

const PASSWORD = "correct-horse";
/** A lease and a moment. A busy machine may take longer. */
const TAKEOVER_MS = 6000 + 6000;
const WEBHOOK = { webhook_url: "http://127.0.0.1:9/" };

describe.skipIf(lacks("postgresql"))("processes with one state in PostgreSQL", () => {
  let server: Postgres;
  let state: string;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    const url = server.url(await server.createDatabase());
    state = `${url.replace("postgres@", `postgres:${PASSWORD}@`)}?sandbox=team`;
  });

  const get = async (url: string, path: string): Promise<[number, unknown]> => {
    const response = await fetch(`${url}${path}`);
    return [response.status, await response.json()];
  };

  it.each(["SIGKILL", "SIGSTOP"] as const)(
    "follow each other: the second one leads after a %s of the first, with every record",
    async (signal) => {
      await using first = await startServe(["--state", state]);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      await using waiting = startCli(serveArguments(["--port", String(port), "--state", state]));
      await waiting.lines("stderr", 1, (line) => line.includes("This process waits until it ends"));
      expect(await get(url, "/_sandbox/health")).toMatchObject([200, { status: "ok" }]);
      expect(await get(url, "/_sandbox/ready")).toMatchObject([503, { ready: false }]);
      expect(await get(url, "/_sandbox/payins")).toMatchObject([503, { code: "EXTERNAL_ERROR" }]);
      expect(await callsTo(url).createPayin(WEBHOOK)).toMatchObject({ status: 503 });
      expect(await runMain(["ready", "--url", url])).toMatchObject({ code: 4 });
      expect(waiting.stdout).toBe("");
      const { body } = await callsTo(first.url).createPayin(WEBHOOK, "key");

      const killedMs = performance.now();
      first.process.kill(signal);
      const second = await untilReady(waiting);
      expect(performance.now() - killedMs).toBeLessThan(TAKEOVER_MS);
      expect(second.ready.state_file).toBe(state.replace(`:${PASSWORD}@`, ":***@"));
      expect((await callsTo(url).createPayin(WEBHOOK, "key")).body).toEqual(body);
      if (signal === "SIGSTOP") {
        first.process.kill("SIGCONT");
        const { code, stderr } = await first.ended;
        expect([code, stderr]).toEqual([7, expect.stringContaining('"code":"STATE_TAKEN"')]);
      }
      expect(await get(url, `/_sandbox/payins/${body.id}`)).toMatchObject([200, { id: body.id }]);
      for (const { stdout, stderr } of [first, second])
        expect(stdout + stderr).not.toContain(PASSWORD);
    },
  );

  it("let the next one lead at once when they stop", async () => {
    await using first = await startServe(["--state", state]);
    await using waiting = startCli(serveArguments(["--state", state]));
    await waiting.lines("stderr", 1);
    expect(await first.stop("SIGTERM")).toMatchObject({ code: 0 });
    await using _ = await untilReady(waiting);
  });

  it("end with the reason if a fixtures file is wrong, and leave the state to others", async () => {
    await using folder = await createFolder();
    const fixtures = folder.at("fixtures.json");
    await writeFile(fixtures, '{"payins":[{"value":"much"}]}');
    const { code, stderr } = await runCli(
      serveArguments(["--state", state, "--fixtures", fixtures]),
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining("payins.0.value")]);
    const port = await freePort();
    const failure = startSandbox({ stateFile: state, fixtures: [fixtures], port });
    await expect(failure).rejects.toThrow("payins.0.value");
    await using _ = await startSandbox({ stateFile: state, port });
  });

  it("warn if other machines reach them without a control token, as with a file", async () => {
    await using serving = await startServe(["--host", "0.0.0.0", "--state", state]);
    expect(serving.stderr).toContain("Warning: anyone who can reach this address");
  });

  it("are given to a test when they lead, and answer 503 when they were replaced", async () => {
    const first = await startSandbox({ stateFile: state });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    let isReady = false;
    const starting = startSandbox({ stateFile: state, port, report: () => undefined }).then(
      (sandbox) => {
        isReady = true;
        return sandbox;
      },
    );
    await expect.poll(() => get(url, "/_sandbox/ready").catch(() => [])).toMatchObject([503, {}]);
    expect(isReady).toBe(false);
    const { body } = await callsTo(first.url).createPayin(WEBHOOK);
    await first.close();
    await using _ = await starting;
    expect(await get(url, `/_sandbox/payins/${body.id}`)).toMatchObject([200, { id: body.id }]);

    const database = new URL(state).pathname.slice(1);
    await server.query(database, "UPDATE pix_sandbox SET writer = writer + 1, free_at = 'epoch'");
    await using third = await startSandbox({ stateFile: state });
    await expect.poll(() => get(url, "/_sandbox/ready")).toMatchObject([503, { ready: false }]);
    expect(await get(url, "/_sandbox/payins")).toMatchObject([503, { code: "EXTERNAL_ERROR" }]);
    expect(await callsTo(url).createPayin(WEBHOOK)).toMatchObject({ status: 503 });
    const { data } = await callsTo(third.url).control<{ data: unknown[] }>("GET", "/payins");
    expect(data).toHaveLength(1);
  });
});
