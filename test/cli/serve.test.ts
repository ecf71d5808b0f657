import { localize, type Words } from "../../src/cli/terminal/language.ts";
import { readFile, stat, writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { toReady, writeReadyFile } from "../../src/cli/serving/ready.ts";
import { untilStopped } from "../../src/cli/serving/running.ts";
import type { Io } from "../../src/cli/terminal/io.ts";
import { identifyingHeaders } from "../../src/server/activity/identifying-headers.ts";
import { VERSION } from "../../src/wire/names.ts";
import { createFolder } from "../support/folder.ts";
import { runMain, serveMain, startMain } from "../support/main.ts";
import { callsTo } from "../support/calls.ts";

const SETTINGS = ["--clock", "frozen", "--seed", "42", "--port", "0"];
const isReady = (line: string): boolean => line.startsWith("Ready");

describe("serve's banner", { timeout: 60_000 }, () => {
  it("says what runs, where, and what to do next", async () => {
    await using serving = startMain(["serve", "--memory", ...SETTINGS]);
    await serving.lines("stderr", 1, isReady);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(serving.stderr)?.[0] ?? "";
    const lines = [VERSION, `${url}/v1`, `${url}/_sandbox/`, "memory", "42", `--url ${url}`];
    const printed = serving.stderr.split("\n");
    expect(printed).toHaveLength(lines.length + 2);
    for (const [index, text] of lines.entries()) expect(printed[index]).toContain(text);
    expect(await serving.stop()).toMatchObject({ code: 0, stdout: "" });
  });

  it("counts the records of a state file", async () => {
    await using folder = await createFolder();
    const options = { cwd: folder.path };
    await using first = await serveMain([], options);
    await callsTo(first.url).createPayin({ webhook_url: "http://127.0.0.1:9/" });
    await first.stop();
    await using second = startMain(["serve", ...SETTINGS], options);
    await second.lines("stderr", 1, isReady);
    expect(second.stderr).toContain(".pix-sandbox/state.json   1 payin, 0 payouts\n");
  });

  it("says what outlived a restart, and how to undo it", async () => {
    await using folder = await createFolder();
    const options = { cwd: folder.path };
    await using first = await serveMain([], options);
    const { control } = callsTo(first.url);
    const send = (method: string, path: string, body: object) =>
      fetch(first.url + path, {
        method,
        headers: identifyingHeaders("my-shop", ""),
        body: JSON.stringify(body),
      });
    await control("POST", "/faults", { on: "payins.create", effect: "error=EXTERNAL_ERROR" });
    await control("POST", "/clock/advance", { seconds: 10_800 });
    await control("PATCH", "/assumptions", { "payout.rival": "reject" });
    await send("PATCH", "/_sandbox/assumptions", { "webhook.retries": "none" });
    await send("PUT", "/v1/webhooks", {
      webhook_url: "http://127.0.0.1:9/",
      events: ["payment.received"],
    });
    await first.stop();

    await using second = startMain(["serve", "--port", "0"], options);
    await second.lines("stderr", 1, isReady);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(second.stderr)?.[0] ?? "";
    const surprises = [
      "  Faults       1 armed",
      `               npx pix-sandbox faults list --url ${url}`,
      `               npx pix-sandbox faults clear --url ${url}`,
      "  Assumptions  payout.rival=reject (default cancel)",
      "               my-shop: webhook.retries=none (default laptop)",
      "               to undo one, start with --assume NAME=DEFAULT",
      "  Webhooks     also to the URL that 1 integration configured",
      `  Undo all     npx pix-sandbox reset --url ${url}`,
      "               sets back the clock, assumptions and webhook URLs;",
      "               deletes all payins, payouts, webhooks, keys and faults",
    ].join("\n");
    expect(second.stderr).toContain(
      `\n  Clock        real, 3 h ahead of real time\n${surprises}\n  Next `,
    );
    const ready = await runMain(["ready", "--url", url]);
    expect(ready.stdout).toContain(`real, 3 h ahead of real time\n${surprises}\n`);

    const refused = await runMain(["payin", "create", "--url", url]);
    expect(refused.stderr).toMatch(/"faults list" shows the fault, and "faults clear" removes it/);
    await second.lines("stderr", 1, (line) => line.includes("faults clear"));
    await vi.waitFor(() =>
      expect(second.stderr).toContain(
        `!!  a fault caused this: npx pix-sandbox faults list --url ${url}\n!!  to remove all faults: npx pix-sandbox faults clear --url ${url}\n`,
      ),
    );
    const { stdout } = await runMain(["reset", "--url", url]);
    expect(stdout).toContain("Deleted: payins, payouts, webhooks, keys, faults, requests,");
    await second.stop();
    await using third = await serveMain([], options);
    expect(third.ready).toMatchObject({ ahead_seconds: 0, faults: 0, assumptions: {} });
    expect(third.ready).not.toHaveProperty("webhook_configurations");
  });

  it("is replaced by one object with --json, without a word on stderr", async () => {
    await using folder = await createFolder();
    await using serving = await serveMain(["--seed", "42"], { cwd: folder.path });
    const { url, port, secret } = serving.ready;
    expect(serving.ready).toEqual({
      type: "ready",
      url,
      base_url: `${url}/v1`,
      inspector_url: `${url}/_sandbox/`,
      port,
      pid: process.pid,
      version: VERSION,
      state_file: folder.at(".pix-sandbox/state.json"),
      seed: "42",
      secret,
      ahead_seconds: 0,
      faults: 0,
      assumptions: {},
    });
    expect(await serving.stop()).toMatchObject({ code: 0, stderr: "" });
    expect(
      toReady({ url, baseUrl: "b", port, seed: null, secret: null }, undefined, undefined, {
        cwd: "/",
      } as Io),
    ).toMatchObject({ state_file: null, seed: null, secret: null, base_url: "b" });
  });
});

describe("the folder of the default state file", { timeout: 60_000 }, () => {
  it("has a .gitignore when serve creates it, and only then", async () => {
    await using folder = await createFolder();
    await using first = await serveMain([], { cwd: folder.path });
    const ignore = folder.at(".pix-sandbox/.gitignore");
    expect(await readFile(ignore, "utf8")).toBe("*\n");
    await first.stop();
    await writeFile(ignore, "# mine\n");
    await using second = await serveMain([], { cwd: folder.path });
    await second.stop();
    expect(await readFile(ignore, "utf8")).toBe("# mine\n");
    await using other = await serveMain(["--state", folder.at("own/state.json")]);
    await other.stop();
    await expect(readFile(folder.at("own/.gitignore"))).rejects.toThrow("ENOENT");
  });
});

describe("the ready file", { timeout: 60_000 }, () => {
  it("is readable by its owner only, and is removed at the end", async () => {
    await using folder = await createFolder();
    const io = { cwd: folder.path } as Io;
    const file = folder.at("ready.json");
    await writeFile(file, "old", { mode: 0o644 });
    const written = await writeReadyFile({ type: "ready" }, { readyFile: "ready.json" }, io);
    expect(await readFile(file, "utf8")).toBe('{"type":"ready"}\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await written[Symbol.asyncDispose]();
    await expect(stat(file)).rejects.toThrow("ENOENT");
    await written[Symbol.asyncDispose]();
  });

  it("stays if another process has written it meanwhile", async () => {
    await using folder = await createFolder();
    const io = { cwd: folder.path } as Io;
    const written = await writeReadyFile({ a: 1 }, { readyFile: "ready.json" }, io);
    await writeFile(folder.at("ready.json"), "another's");
    await written[Symbol.asyncDispose]();
    expect(await readFile(folder.at("ready.json"), "utf8")).toBe("another's");
  });

  it("that cannot be written stops the sandbox", async () => {
    await using folder = await createFolder();
    const state = folder.at("state.json");
    const serve = ["serve", "--port", "0", "--state", state, "--ready-file", "no/ready.json"];
    const { code, stderr } = await runMain(serve, { cwd: folder.path });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("Use a file in an existing folder."),
    ]);
    await using _ = await serveMain(["--state", state]);
  });
});

describe("a signal to serve", () => {
  /** An io whose signal a test sends. */
  const listening = () => {
    const printed: string[] = [];
    let send = (): void => undefined;
    const unread = new AbortController();
    const io = {
      onSignal: (handler: () => void) => {
        send = handler;
        return () => undefined;
      },
      printError: (text: Words) => void printed.push(localize(text)),
      unread: unread.signal,
    } as unknown as Io;
    return { io, printed, send: () => send() };
  };

  it("stops the sandbox once, and says so unless it is silent", async () => {
    for (const isSilent of [false, true]) {
      const { io, printed, send } = listening();
      let closes = 0;
      const stopped = untilStopped({ close: () => Promise.resolve(void closes++) }, isSilent, io);
      send();
      // The same signal can arrive twice: from the terminal, and from npm.
      send();
      await stopped;
      expect([closes, printed]).toEqual([1, isSilent ? [] : ["Stopping…"]]);
    }
  });

  it("fails if the sandbox cannot be closed", async () => {
    const { io, send } = listening();
    const stopped = untilStopped({ close: () => Promise.reject(new Error("disk")) }, true, io);
    send();
    await expect(stopped).rejects.toThrow("disk");
  });
});
