import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import {
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startRecorder } from "../../src/cli/fidelity/recorder.ts";
import { writeChoices } from "../../src/cli/fidelity/write-choices.ts";
import type { Io } from "../../src/cli/terminal/io.ts";
import { codeIn, codeWord, membersOf, shapeOf } from "../../src/fidelity/exchange.ts";
import { type Arrived, listenOn, type Reply } from "../../src/fidelity/http-server.ts";
import { createFolder } from "../support/folder.ts";
import { runMain, startMain } from "../support/main.ts";

const TOKEN = "a-secret-token";
const DIR = ".pix-sandbox";

/** A gateway that does the same for every call. */
async function startGateway(reply: (call: Arrived) => Reply) {
  const calls: Arrived[] = [];
  const server = await listenOn(0, async (call) => {
    calls.push(call);
    return reply(call);
  });
  const dispose = () => server[Symbol.asyncDispose]();
  return { url: `http://127.0.0.1:${server.port}/v1`, calls, [Symbol.asyncDispose]: dispose };
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

const probeOf = (url: string): string[] => ["probe", "--base-url", url, "--token", TOKEN, "--yes"];

describe("probe", { timeout: 60_000 }, () => {
  it("makes no call to an address that is wrong or on --never", async () => {
    await using gateway = await startGateway(() => json(200, {}));
    const { hostname, host } = new URL(gateway.url);
    const secret = gateway.url.replace("//", "//me:open-sesame@");
    const dotted = gateway.url.replace(hostname, "gateway.example.");
    for (const args of [
      probeOf("ftp://gateway.example/v1"),
      probeOf(secret),
      [...probeOf(gateway.url), "--public-url", "tunnel"],
      [...probeOf(gateway.url), "--never", "%"],
      [...probeOf(gateway.url), "--never", hostname],
      [...probeOf(gateway.url), "--never", host],
      [...probeOf(gateway.url), "--never", gateway.url],
      [...probeOf(dotted), "--never", "Gateway.example"],
      [...probeOf(dotted), "--never", "*.example"],
    ]) {
      await using folder = await createFolder();
      expect([args, await runMain(args, { cwd: folder.path })]).toMatchObject([args, { code: 2 }]);
    }
    expect(gateway.calls).toEqual([]);
  });

  it("sends the token to no other host", async () => {
    await using other = await startGateway(() => json(200, {}));
    await using gateway = await startGateway(() => ({
      status: 307,
      headers: { location: `${other.url}/payins` },
    }));
    await using folder = await createFolder();
    const { code, stderr } = await runMain(probeOf(gateway.url), { cwd: folder.path });
    expect([code, stderr]).toEqual([4, expect.stringContaining("the first payin: 307.")]);
    expect([gateway.calls.length, other.calls]).toEqual([1, []]);
  });

  it.each([
    ["has no id", () => json(200, "hello"), 4],
    ["refused the first payin: 400.", () => json(400, { code: `\u001b[2J${"x".repeat(99)}` }), 4],
    ["refuses more calls", () => json(429, {}, { "retry-after": "1e9" }), 4],
    ["has more than", () => ({ status: 200, body: Buffer.alloc(9 * 2 ** 20) }), 1],
  ])("stops at the first call of a gateway whose response %s", async (says, reply, code) => {
    await using gateway = await startGateway(reply);
    await using folder = await createFolder();
    const ended = await runMain(probeOf(gateway.url), { cwd: folder.path });
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(says) });
    expect(gateway.calls).toHaveLength(1);
  });

  it("reports a gateway that cannot be reached", async () => {
    await using folder = await createFolder();
    await using gateway = await startGateway(() => json(200, {}));
    await gateway[Symbol.asyncDispose]();
    const { code, stderr } = await runMain(probeOf(gateway.url), { cwd: folder.path });
    expect([code, stderr]).toEqual([1, expect.stringContaining("did not respond: connect")]);
  });

  it("runs once in a folder, and can be interrupted while the gateway does not respond", async () => {
    await using folder = await createFolder();
    await using gateway = await startGateway(() => "nothing");
    await using probe = startMain(probeOf(gateway.url), { cwd: folder.path });
    await expect.poll(() => gateway.calls.length).toBe(1);
    expect(await runMain(probeOf(gateway.url), { cwd: folder.path })).toMatchObject({ code: 7 });
    expect(await readFile(folder.at(`${DIR}/.gitignore`), "utf8")).toBe("*\n");
    expect(await readFile(folder.at(`${DIR}/probe.json`), "utf8")).not.toContain(TOKEN);
    expect(await probe.stop()).toMatchObject({ code: 130 });
    expect(gateway.calls).toHaveLength(1);
  });

  it("makes no call if it could not resume, or not write the choices", async () => {
    await using gateway = await startGateway(() => json(200, {}));
    await using folder = await createFolder();
    const cwd = folder.path;
    await writeFile(folder.at("list.json"), "[]");
    const listed = await runMain([...probeOf(gateway.url), "--profile", "list.json"], { cwd });
    await mkdir(folder.at(DIR));
    await writeFile(folder.at(`${DIR}/probe.json`), `{"baseUrl":"${gateway.url}"}`);
    const damaged = await runMain(probeOf(gateway.url), { cwd });
    await rm(folder.at(`${DIR}/probe.json`));
    await symlink("probe.json", folder.at(`${DIR}/probe.json`));
    const { code, stderr } = await runMain(probeOf(gateway.url), { cwd });
    expect([listed.code, damaged.code, code, gateway.calls]).toEqual([2, 2, 2, []]);
    expect(stderr).toContain(`${DIR}/probe.json cannot be read`);
  });
});

describe("writeChoices", () => {
  it("overwrites no byte of the file, and keeps its mode and a link to it", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("own.json"), '{"seed":42}', { mode: 0o600 });
    await link(folder.at("own.json"), folder.at("before.json"));
    await symlink("own.json", folder.at("config.json"));
    const observation = { at: "2026-01-01T00:00:00.000Z", by: "probe" } as const;
    await writeChoices("config.json", [], observation, { cwd: folder.path } as Io);
    expect(await readFile(folder.at("before.json"), "utf8")).toBe('{"seed":42}');
    expect(await readFile(folder.at("own.json"), "utf8")).toContain('"assumptions": {}');
    expect((await lstat(folder.at("config.json"))).isSymbolicLink()).toBe(true);
    expect((await stat(folder.at("own.json"))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder.path)).toHaveLength(3);
  });
});

describe("a response", () => {
  it("can be any JSON", () => {
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    expect(membersOf(`{"a":${deep}}`).size).toBe(1);
    const odd = '{"code":{"toString":1},"errors":[{"field":{"toString":1}},{"field":null},7]}';
    expect(membersOf(odd).size).toBeGreaterThan(3);
    const response = { status: 400, headers: {}, body: odd };
    expect([codeIn(response), codeWord(response)]).toEqual(['{"toString":1}', ""]);
    expect(shapeOf("qr_code", "0000".repeat(50_000))).toHaveLength(150_008);
    expect(shapeOf("qr_code", "000201")).toBe("BR Code 00 ");
  });
});

describe("record", { timeout: 60_000 }, () => {
  const start = (target: string, onEvent: (text: string) => void, failures: Error[] = []) =>
    startRecorder({
      port: 0,
      target,
      publicUrl: undefined,
      nowMs: Date.now,
      onEvent: (event) => onEvent(JSON.stringify(event)),
      onFailure: (error) => void failures.push(error),
    });

  it("passes calls on when they cannot be recorded: the application would repeat a payout", async () => {
    await using gateway = await startGateway(() => json(200, { id: "1" }));
    const failures: Error[] = [];
    const fail = (): never => {
      throw new Error("the disk is full");
    };
    await using recorder = await start(gateway.url, fail, failures);
    const url = `http://127.0.0.1:${recorder.port}/v1/payouts`;
    for (let call = 1; call <= 2; call += 1)
      expect(await (await fetch(url, { method: "POST", body: "{}" })).json()).toEqual({ id: "1" });
    expect(failures).toEqual([new Error("the disk is full")]);
  });

  it("passes bytes on as they are, and stores no secret of a query and no name of a response", async () => {
    const bytes = Buffer.from([0, 255, 254, 128]);
    await using gateway = await startGateway(({ path, body }) =>
      path.startsWith("/v1/image")
        ? { status: 200, body }
        : json(200, { receiver_name: "ROSA MAIA", note: "for ROSA MAIA" }),
    );
    const lines: string[] = [];
    await using recorder = await start(gateway.url, (line) => void lines.push(line));
    const url = `http://127.0.0.1:${recorder.port}/v1`;
    const image = await fetch(`${url}/image`, { method: "POST", body: bytes });
    expect(Buffer.from(await image.arrayBuffer())).toEqual(bytes);
    expect(gateway.calls[0]?.body).toEqual(bytes);
    const named = await fetch(`${url}/payouts?key=${TOKEN}`, { method: "POST", body: "{}" });
    expect(await named.text()).toContain("ROSA MAIA");
    expect(gateway.calls[1]?.path).toContain(TOKEN);
    expect(lines).toHaveLength(2);
    expect(lines.filter((line) => /ROSA|secret/.test(line))).toEqual([]);
  });

  it("ends although a gateway does not respond", async () => {
    await using gateway = await startGateway(() => "nothing");
    const recorder = await start(gateway.url, () => undefined);
    const url = `http://127.0.0.1:${recorder.port}/v1/payins`;
    const sent = fetch(url, { method: "POST", body: "{}" }).catch(() => "failed");
    await expect.poll(() => gateway.calls.length).toBe(1);
    await recorder[Symbol.asyncDispose]();
    expect(await sent).toBe("failed");
    await gateway.calls[0]?.closed;
  });

  it("goes on after a status that cannot be passed on", async () => {
    const gateway = createServer((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n"));
    });
    gateway.listen(0, "127.0.0.1");
    await once(gateway, "listening");
    const { port } = gateway.address() as AddressInfo;
    const lines: string[] = [];
    await using recorder = await start(
      `http://127.0.0.1:${port}/v1`,
      (line) => void lines.push(line),
    );
    const url = `http://127.0.0.1:${recorder.port}/v1/payins`;
    for (let call = 1; call <= 2; call += 1)
      await expect(fetch(url, { method: "POST", body: "{}" })).rejects.toThrow("fetch failed");
    expect(lines).toHaveLength(2);
    gateway.close();
  });

  it("refuses a body without an end", async () => {
    await using gateway = await startGateway(() => json(200, {}));
    await using recorder = await start(gateway.url, () => undefined);
    const url = `http://127.0.0.1:${recorder.port}/v1/payins`;
    const body = Buffer.alloc(9 * 2 ** 20);
    await expect(fetch(url, { method: "POST", body })).rejects.toThrow("fetch failed");
    expect(gateway.calls).toEqual([]);
  });

  it("has a base URL with the target's version, and calls that version", async () => {
    await using gateway = await startGateway(() => json(200, {}));
    await using folder = await createFolder();
    const target = gateway.url.replace("/v1", "/v2");
    const args = ["record", "--to", "calls.jsonl", "--target", target, "--port", "0", "--json"];
    await using recording = startMain(args, { cwd: folder.path });
    const [line = ""] = await recording.lines("stdout", 1);
    const { url } = JSON.parse(line) as { url: string };
    await fetch(`${url}/payins`, { method: "POST", body: "{}" });
    expect(gateway.calls).toMatchObject([{ path: "/v2/payins" }]);
    await recording.stop("SIGINT");
  });

  it("leaves no file if its port is taken", async () => {
    await using folder = await createFolder();
    await using gateway = await startGateway(() => json(200, {}));
    const port = new URL(gateway.url).port;
    const args = ["record", "--to", "a.jsonl", "--target", gateway.url, "--port", port];
    expect(await runMain(args, { cwd: folder.path })).toMatchObject({ code: 7 });
    await expect(readFile(folder.at("a.jsonl"))).rejects.toThrow("ENOENT");
  });
});
