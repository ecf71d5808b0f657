import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import http from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCli, startServe } from "../../support/cli.ts";
import { runMain, runMainJson, serveMain, type ServingMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { freePort } from "../../support/process.ts";
import { callsTo, type Shown } from "../../support/calls.ts";

const UNKNOWN_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";
const UNKNOWN_EVENT_ID = "evt_0123456789abcdef0123456789abcdef";
const WEBHOOK = ["--webhook-url", "http://127.0.0.1:9/hook"];

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

  it("is serve's while a client reads the event stream", async () => {
    await using sandbox = await startServe();
    const reading = await fetch(`${sandbox.url}/_sandbox/events`);
    await reading.body?.getReader().read();
    const { code } = await sandbox.stop();

    expect(code).toBe(0);
  });

  it("is serve's while an idle connection is open", async () => {
    await using sandbox = await startServe();
    const socket = connect(sandbox.ready.port, "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect");
    await runMain(["ready", "--url", sandbox.url]);
    const { code } = await sandbox.stop();
    socket.destroy();

    expect(code).toBe(0);
  });

  it("is that of --version and --help", async () => {
    for (const option of ["--version", "--help"]) {
      expect(await runMain([option])).toMatchObject({ code: 0, stderr: "" });
    }
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

describe("exit code 2", { timeout: 60_000 }, () => {
  it.each([
    ["an unknown command", ["pay-me"]],
    ["an unknown subcommand", ["payin", "burn"]],
    ["an unknown option", ["serve", "--prot", "1"]],
    ["an argument too many", ["secret", "extra"]],
    ["an argument too few", ["payin", "show"]],
    ["a group without a command", ["payin"]],
    ["no command at all", []],
    ["a choice that does not exist", ["simulate", "payin", UNKNOWN_ID, "--status", "burnt"]],
    ["a status that payouts do not have", ["payout", "list", "--status", "expired"]],
    ["a port that is no number", ["serve", "--port", "http"]],
    ["a port beyond the last", ["serve", "--port", "65536"]],
    ["a limit beyond the largest", ["payin", "list", "--limit", "1001"]],
    ["a time that is none", ["serve", "--memory", "--port", "0", "--now", "yesterday"]],
    ["a time at its end", ["serve", "--memory", "--port", "0", "--now", "9000-01-01T00:00:00Z"]],
    ["an empty host", ["serve", "--memory", "--port", "0", "--host", ""]],
    ["an empty seed", ["serve", "--memory", "--port", "0", "--seed", ""]],
    [
      "a day that does not exist",
      ["serve", "--memory", "--port", "0", "--now", "2026-02-30T00:00:00Z"],
    ],
    ["a clock that does not exist", ["serve", "--clock", "broken"]],
    ["a duration that is none", ["ready", "--wait", "--timeout", "soon"]],
    ["an address that is none", ["secret", "--url", "http://"]],
    ["a public URL that is none", ["serve", "--memory", "--port", "0", "--public-url", "pix"]],
    ["a URL to forward to that is none", ["webhooks", "tail", "--forward-to", "localhost"]],
    ["a place to begin that is none", ["webhooks", "tail", "--since", "yesterday"]],
    ["a status that webhooks do not have", ["webhooks", "list", "--status", "paid"]],
    ["a webhook to show without its id", ["webhooks", "show"]],
    ["nothing to resend", ["webhooks", "resend"]],
    ["nothing to wait for", ["wait"]],
    ["a time-out that is none", ["wait", "payin.paid", "--timeout", "soon"]],
    ["a time to wait that is too long", ["wait", "payin.paid", "--timeout", "1d"]],
    ["a step of the clock that is none", ["clock", "advance", "soon"]],
    ["a move of the clock that there is not", ["clock", "stop"]],
    ["an image that is neither PNG nor SVG", ["qr", brCode(), "-o", "code.bmp"]],
  ])("is that of %s, with a sentence on stderr", async (_title, args) => {
    const { code, stdout, stderr } = await runMain(args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toBe("");
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it.each([
    ["nonsense=1", "nonsense"],
    ["payout.rival=fight", "payout.rival"],
    ["payout.rival", "payout.rival"],
    ["webhook.timeout_seconds=0", "webhook.timeout_seconds"],
  ])("is that of --assume %s, with a sentence that names it", async (pair, name) => {
    const args = ["serve", "--memory", "--port", "0", "--assume", pair];
    const { code, stdout, stderr } = await runMain(args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(name);
    expect(stderr).toMatch(/^error: .+\.$/m);
  });

  it("comes with the nearest command that exists", async () => {
    expect((await runMain(["serv"])).stderr).toContain("serve");
  });
});

describe("exit code 3", { timeout: 60_000 }, () => {
  it.each([
    [["ready"]],
    [["payin", "create"]],
    [["payin", "list"]],
    [["payout", "show", UNKNOWN_ID]],
    [["simulate", "payin", UNKNOWN_ID]],
    [["webhooks", "list"]],
    [["webhooks", "tail"]],
    [["webhooks", "show", UNKNOWN_EVENT_ID]],
    [["webhooks", "resend", "--all"]],
    [["wait", "payin.paid"]],
    [["clock"]],
    [["clock", "advance", "5m"]],
    [["qr", UNKNOWN_ID]],
    [["secret"]],
  ])("is that of %j where no sandbox responds, and says how to start one", async (args) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await runMain([...args, "--url", url]);

    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(url);
    expect(stderr).toContain("npx pix-sandbox serve");
  });

  it("is that of a command to which something else answers", async () => {
    const server = http.createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>It works!</h1>");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ended = await runMain(["payin", "list", "--url", url]);
    server.close();

    expect(ended).toMatchObject({ code: 3, stdout: "" });
    expect(ended.stderr).toMatch(/is not pix-sandbox/);
  });
});

describe("a command that a sandbox refuses", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  beforeAll(async () => {
    sandbox = await serveMain();
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  const run = (...args: string[]) => runMain([...args, "--url", sandbox.url]);

  it.each([
    ["value", ["payin", "create", "--value", "0"]],
    ["value", ["payin", "create", "--value", "ten"]],
    ["buyer_cpf", ["payin", "create", "--buyer-cpf", "123"]],
    ["expiration", ["payin", "create", "--expiration", "19"]],
    ["webhook_url", ["payin", "create", "--webhook-url", "ftp://example.com"]],
    ["pix_key", ["payout", "create", "--pix-key", "maria", "--pix-key-type", "email"]],
  ])("ends with 4 and names %s: %j", async (field, args) => {
    const { code, stdout, stderr } = await run(...args);

    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain(field);
  });

  it("ends with 4 if the record is already final", async () => {
    const { id } = await runMainJson<Shown>(["payin", "create", ...WEBHOOK, "--url", sandbox.url]);
    expect((await run("simulate", "payin", id)).code).toBe(0);

    for (const args of [
      ["simulate", "payin", id],
      ["payin", "pay", id],
      ["payin", "cancel", id],
      ["payin", "expire", id],
    ]) {
      expect(await run(...args)).toMatchObject({ code: 4, stdout: "" });
    }
  });

  it.each([
    ["now", ["clock", "set", "tomorrow"]],
    ["back", ["clock", "set", "2001-01-01T00:00:00Z"]],
    ["seconds", ["clock", "advance", "1000d"]],
    ["after", ["webhooks", "list", "--after", UNKNOWN_EVENT_ID]],
  ])("ends with 4 and says %s: %j", async (word, args) => {
    const { code, stdout, stderr } = await run(...args);

    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain(word);
  });

  it("ends with 4 if a key was used for another call", async () => {
    const create = ["payin", "create", ...WEBHOOK, "--idempotency-key", "once"];
    expect((await run(...create)).code).toBe(0);
    expect((await run(...create)).code).toBe(0);
    expect(await run(...create, "--value", "11")).toMatchObject({ code: 4, stdout: "" });
  });

  it.each([
    [["payin", "show", UNKNOWN_ID]],
    [["payin", "pay", UNKNOWN_ID]],
    [["payin", "cancel", UNKNOWN_ID]],
    [["payin", "expire", UNKNOWN_ID]],
    [["payout", "show", UNKNOWN_ID]],
    [["payout", "complete", UNKNOWN_ID]],
    [["payout", "cancel", UNKNOWN_ID]],
    [["simulate", "payin", UNKNOWN_ID]],
    [["simulate", "payout", UNKNOWN_ID, "--status", "canceled"]],
    [["qr", UNKNOWN_ID]],
    [["webhooks", "show", UNKNOWN_EVENT_ID]],
    [["webhooks", "resend", UNKNOWN_EVENT_ID]],
    [["webhooks", "tail", "--since", UNKNOWN_EVENT_ID]],
    [["webhooks", "show", "../payins"]],
    [["payin", "show", "../payouts"]],
    [["payin", "show", "%"]],
  ])("ends with 5 where there is no such record: %j", async (args) => {
    const { code, stdout, stderr } = await run(...args);

    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toMatch(/^error: .+\./);
  });

  it("ends with 5 if the record is another integration's", async () => {
    const { id } = await runMainJson<Shown>(["payin", "create", ...WEBHOOK, "--url", sandbox.url]);
    for (const args of [
      ["payin", "show", id],
      ["payin", "pay", id],
      ["simulate", "payin", id],
    ]) {
      expect(await run(...args, "--token", "another")).toMatchObject({ code: 5, stdout: "" });
    }
  });
});

describe("exit code 6", { timeout: 60_000 }, () => {
  it("is that of a `wait` that timed out", async () => {
    await using sandbox = await serveMain();
    const wait = ["wait", "payin.paid", "--timeout", "100ms", "--url", sandbox.url];
    const { code, stdout, stderr } = await runMain(wait);

    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain("payin.paid");
  });

  it("is that of a `ready --wait` that timed out", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await runMain([
      "ready",
      "--wait",
      "--timeout",
      "300ms",
      "--url",
      url,
    ]);

    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain(url);
  });

  it("is that of a `ready --wait` to which a server listens that never answers", async () => {
    const server = http.createServer(() => undefined).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code } = await runMain(["ready", "--wait", "--timeout", "300ms", "--url", url]);
    server.closeAllConnections();
    server.close();

    expect(code).toBe(6);
  });
});

describe("exit code 7", { timeout: 60_000 }, () => {
  it("is serve's if the port is in use, which stays the other's", async () => {
    await using sandbox = await serveMain();
    const port = String(sandbox.ready.port);
    const { code, stdout, stderr } = await runMain(["serve", "--memory", "--port", port]);

    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain(port);
    expect(stderr).toContain("--port");
    expect((await runMain(["ready", "--url", sandbox.url])).code).toBe(0);
  });

  it("is serve's if another sandbox uses that state file", async () => {
    await using folder = await createFolder();
    const file = folder.at("state.json");
    await using sandbox = await startServe(["--state", file]);
    await using other = startCli(["serve", "--port", "0", "--state", file, "--json"]);
    const outcome = await Promise.race([
      other.ended.then(({ code, stderr }) => ({ code, stderr })),
      other.lines("stdout", 1).then(
        () => "it started",
        () => "it ended",
      ),
    ]);

    expect(outcome).toEqual({ code: 7, stderr: expect.stringContaining(file) as string });
    expect((await runMain(["ready", "--url", sandbox.url])).code).toBe(0);
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

/** The code of a charge, as the central bank's manual has it. */
function brCode(): string {
  return "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";
}
