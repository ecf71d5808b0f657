import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callsTo } from "../../support/calls.ts";
import { createFolder } from "../../support/folder.ts";
import { startMain } from "../../support/main.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { lacks } from "../../support/lacks.ts";

const PASSWORD = "correct-horse";
const TOKEN = "control-token-of-the-test";

describe.skipIf(lacks("postgresql"))(
  "serve with its state in PostgreSQL",
  { timeout: 60_000 },
  () => {
    let database: Postgres;
    beforeAll(async () => {
      database = await startPostgres();
    }, 60_000);
    afterAll(() => database[Symbol.asyncDispose]());

    const addressOf = async (): Promise<string> =>
      database.url(await database.createDatabase()).replace("postgres@", `postgres:${PASSWORD}@`);

    it.each([[["--log", "all"]], [["--json", "--log", "all"]], [["--lang", "pt-BR"]]])(
      "shows neither the password nor the control token with %j",
      async (args) => {
        await using folder = await createFolder();
        const state = await addressOf();
        const serve = ["serve", "--port", "0", "--host", "0.0.0.0", "--state", state];
        const more = ["--control-token", TOKEN, "--ready-file", "ready.json", ...args];
        const options = { cwd: folder.path };
        await using leader = startMain([...serve, ...more], options);
        const stream = args.includes("--json") ? "stdout" : "stderr";
        await leader.lines(stream, 1, (line) => /^Ready|^Pronto|"ready"/.test(line));
        const ready = await readFile(folder.at("ready.json"), "utf8");
        const { url, state_file } = JSON.parse(ready) as { url: string; state_file: string };
        expect(state_file).toBe(state.replace(PASSWORD, "***"));

        await using standby = startMain([...serve, ...more.slice(0, 2), ...args], options);
        await standby.lines(stream, 1, (line) => /^Standing|^Em espera|"ready"/.test(line));
        await callsTo(url).createPayin({ webhook_url: `${url}/_sandbox/sink/order-1` });
        const headers = { authorization: `Bearer ${TOKEN}` };
        const about = await (await fetch(`${url}/_sandbox/about`, { headers })).text();
        expect(about).toContain("postgres:***@");
        const ended = [await standby.stop(), await leader.stop()];
        for (const { stdout, stderr } of ended)
          for (const text of [stdout, stderr, ready, about]) {
            expect(text).not.toContain(PASSWORD);
            expect(text).not.toContain(TOKEN);
          }
      },
    );

    it("starts beyond this machine with --open-control", async () => {
      const state = await addressOf();
      await using serving = startMain([
        "serve",
        "--port",
        "0",
        "--host",
        "0.0.0.0",
        "--state",
        state,
        "--open-control",
      ]);
      await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    });
  },
);
