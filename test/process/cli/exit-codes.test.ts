import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startCli, startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { callsTo } from "../../support/calls.ts";

describe("exit code 0", { timeout: 60_000 }, () => {
  it.each(["SIGINT", "SIGTERM"] as const)("is serve's after a first %s", async (signal) => {
    await using sandbox = await startServe();
    expect(await sandbox.stop(signal)).toMatchObject({ code: 0, signal: null, stderr: "" });
  });

  it("is serve's after a SIGTERM as early as its ready file is there", async () => {
    await using folder = await createFolder();
    const watching = watch(folder.path);
    await using sandbox = startCli([
      "serve",
      "--memory",
      "--port",
      "0",
      "--ready-file",
      folder.at("ready.json"),
    ]);
    while (!existsSync(folder.at("ready.json"))) await once(watching, "change");
    watching.close();

    expect(await sandbox.stop("SIGTERM")).toMatchObject({ code: 0, signal: null });
  });

  it("is serve's after one Ctrl-C that reaches it twice", async () => {
    await using sandbox = await startServe();
    sandbox.process.kill("SIGINT");
    expect((await sandbox.stop("SIGINT")).code).toBe(0);
  });

  it("is a list's whose reader goes away", async () => {
    await using sandbox = await startServe();
    const calls = callsTo(sandbox.url);
    const description = "x".repeat(140);
    const create = () => calls.createPayin({ webhook_url: "http://127.0.0.1:9/hook", description });
    await Promise.all(Array.from({ length: 300 }, create));
    await using list = startCli(["payin", "list", "--limit", "300", "--url", sandbox.url]);
    list.process.stdout?.destroy();

    expect(await list.ended).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("exit code 130", { timeout: 60_000 }, () => {
  it("is serve's after a second SIGINT while a slow client holds the stop up", async () => {
    await using sandbox = startCli(["serve", "--memory", "--port", "0"]);
    const [line = ""] = await sandbox.lines("stderr", 1, (text) => text.includes("http://"));
    const port = Number(/:(\d+)\//.exec(line)?.[1]);
    const client = connect(port, "127.0.0.1").on("error", () => undefined);
    const head = `POST /v1/payins HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n{`;
    client.write(head);
    await once(client, "data"); // It was told to continue: the request is under way.

    sandbox.process.kill("SIGINT");
    await sandbox.lines("stderr", 1, (text) => text.startsWith("Stopping"));
    const pressing = setInterval(() => sandbox.process.kill("SIGINT"), 20);
    const { code, signal } = await sandbox.ended;
    clearInterval(pressing);
    client.destroy();

    expect({ code, signal }).toEqual({ code: 130, signal: null });
  });
});
