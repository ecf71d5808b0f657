import { createServer } from "node:http";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import net, { type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/wire/version.ts";
import { callsTo } from "../support/calls.ts";
import { createFolder } from "../support/folder.ts";
import { type RunningMain, runMain, serveMain } from "../support/main.ts";
import { freePort } from "../support/process.ts";

const CONFIG = "pix-sandbox.config.json";
const STATE = ".pix-sandbox/state.json";

interface Report {
  readonly ok: boolean;
  readonly version: string;
  readonly node: string;
  readonly url: string;
  readonly checks: readonly Check[];
}

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly hint: string | null;
}

describe("pix-sandbox doctor", { timeout: 60_000 }, () => {
  it("finds the server, its state's lock and its version", async () => {
    await using folder = await createFolder();
    await using serving = await serveMain([], { cwd: folder.path });
    const { report, code } = await examine(folder.path, "--port", String(serving.ready.port));
    expect(code).toBe(0);
    expect(report).toMatchObject({
      ok: true,
      version: VERSION,
      node: process.versions.node,
      url: serving.url,
    });
    expect(messagesOf(report)).toMatchObject({
      versions: `The command and the server are pix-sandbox ${VERSION}.`,
      port: `pix-sandbox ${VERSION} uses port ${serving.ready.port} of 127.0.0.1.`,
      server: `pix-sandbox responds at ${serving.url}`,
      state: expect.stringContaining(`in use by the sandbox with the process id`) as string,
      clock: expect.stringMatching(
        /^The sandbox's time is \S+Z, the same as real time\.$/,
      ) as string,
    });

    const elsewhere = await examine(folder.path, "--port", "0");
    expect(elsewhere.code).toBe(8);
    expect(problemsOf(elsewhere.report)).toMatchObject({
      state: expect.stringContaining("Pass it with --url, or stop that process.") as string,
    });
    const named = await examine(folder.path, "--port", "0", "--url", serving.url);
    expect(named).toMatchObject({ code: 0, report: { url: serving.url } });
  });

  it("finds a server over HTTPS", async () => {
    await using serving = await serveMain(["--memory", "--https"]);
    const { report } = await examine(
      process.cwd(),
      "--port",
      String(serving.ready.port),
      "--memory",
    );
    expect(report).toMatchObject({ ok: true, url: serving.url });
    expect(messagesOf(report)["state"]).toBe("The state is in memory.");
  });

  it("reports a frozen clock and a clock that is ahead", async () => {
    await using serving = await serveMain(["--memory", "--clock", "frozen"]);
    const examineClock = async (): Promise<Check | undefined> =>
      (
        await examine(process.cwd(), "--memory", "--port", "0", "--url", serving.url)
      ).report.checks.at(-1);
    await callsTo(serving.url).advance(2 * 86_400 + 3 * 3600 + 60);
    const frozen = await examineClock();
    expect(frozen).toMatchObject({ name: "clock", ok: true });
    expect(frozen?.message).toMatch(/ is frozen at \S+Z, 2 d 3 h ahead of real time\.$/);
    expect(frozen?.hint).toMatch(/clock advance --url \S+, or clock resume/);
    await callsTo(serving.url).control("POST", "/clock/resume");
    const running = await examineClock();
    expect(running?.message).toMatch(/^The sandbox's time is \S+Z, 2 d 3 h ahead of real time\.$/);
    expect(running?.hint).toContain("npx pix-sandbox reset");
  });

  it("reports another server at the port, whether it speaks HTTP or not", async () => {
    await using http = await listen(createServer((_request, response) => response.end("{}")));
    const web = await examine(process.cwd(), "--memory", "--port", String(http.port));
    expect(web.code).toBe(8);
    expect(problemsOf(web.report)).toMatchObject({
      port: expect.stringMatching(
        /uses port \d+ of 127\.0\.0\.1 \(HTTP 200\)\. Stop that/,
      ) as string,
      server: expect.stringContaining("is not pix-sandbox (HTTP 200).") as string,
    });
    await using closing = await listen(net.createServer((socket) => socket.destroy()));
    await using silent = await listen(net.createServer((socket) => socket.resume()));
    for (const { port } of [closing, silent]) {
      const { report } = await examine(process.cwd(), "--memory", "--port", String(port));
      expect(problemsOf(report)).toMatchObject({
        port: expect.stringMatching(/uses port \d+ of \S+ \(EADDRINUSE\)\. Stop that/) as string,
      });
    }
  });

  it("reports a server of another version, and a project of another version", async () => {
    await using folder = await createFolder();
    const health = JSON.stringify({ status: "ok", version: "0.0.9" });
    await using old = await listen(createServer((_request, response) => response.end(health)));
    const url = ["--url", `http://127.0.0.1:${old.port}`, "--port", "0", "--memory"];
    expect(problemsOf((await examine(folder.path, ...url)).report)).toMatchObject({
      versions: expect.stringContaining("but the server is 0.0.9. Stop the server") as string,
    });
    await mkdir(folder.at("node_modules/pix-sandbox"), { recursive: true });
    await writeFile(folder.at("node_modules/pix-sandbox/package.json"), '{"version":"0.0.8"}');
    expect(problemsOf((await examine(folder.path, "--port", "0")).report)).toMatchObject({
      versions: expect.stringContaining("but the project has 0.0.8. Run the project's") as string,
    });
  });

  it("reports a degraded server", async () => {
    const health = JSON.stringify({ status: "degraded", version: VERSION });
    await using server = await listen(
      createServer((_request, response) => response.writeHead(503).end(health)),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const { report } = await examine(process.cwd(), "--memory", "--port", "0", "--url", url);
    expect(problemsOf(report)).toMatchObject({
      server: expect.stringContaining("cannot write its state and refuses changes.") as string,
    });
  });

  it("reads the port and the state from the config file", async () => {
    await using folder = await createFolder();
    const port = await freePort();
    await writeFile(folder.at(CONFIG), JSON.stringify({ port, state: "mine.json", lang: "pt-BR" }));
    const { code, stdout } = await runMain(["doctor"], { cwd: folder.path });
    expect(code).toBe(0);
    expect(stdout).toContain(`A porta ${port} de 127.0.0.1 está livre.`);
    expect(stdout).toContain("mine.json ainda não existe.");
    await writeFile(folder.at(CONFIG), JSON.stringify({ url: "http://127.0.0.1:1" }));
    expect(problemsOf((await examine(folder.path, "--port", "0")).report)).toMatchObject({
      config: expect.stringContaining('has the unknown member "url"') as string,
    });
    await writeFile(folder.at(CONFIG), "{");
    expect(problemsOf((await examine(folder.path, "--port", "0")).report)).toMatchObject({
      config: expect.stringMatching(/ is not JSON: .*Correct the file/) as string,
    });
  });

  it("reports an intact, an edited and a damaged state, and one that cannot be written", async () => {
    await using folder = await createFolder();
    const serving: RunningMain & { url: string } = await serveMain([], { cwd: folder.path });
    await callsTo(serving.url).createPayin({ webhook_url: "http://127.0.0.1:9/" });
    await serving.stop();
    const intact = await examine(folder.path, "--port", "0");
    expect(messagesOf(intact.report)["state"]).toBe(`${STATE} is intact: 1 payin, 0 payouts.`);
    const text = await readFile(folder.at(STATE), "utf8");
    await writeFile(
      folder.at(STATE),
      text.replace('"expirationSeconds":', '"expirationSeconds":-'),
    );
    expect(problemsOf((await examine(folder.path, "--port", "0")).report)).toMatchObject({
      state: expect.stringContaining(
        "npx pix-sandbox state check .pix-sandbox/state.json",
      ) as string,
    });
    await writeFile(
      folder.at(STATE),
      text.replace('"expirationSeconds":', '"expirationSeconds":!'),
    );
    expect(problemsOf((await examine(folder.path, "--port", "0")).report)).toMatchObject({
      state: expect.stringContaining("is damaged. Find the damage with:") as string,
    });
    await writeFile(folder.at("file"), "");
    const state = ["--state", "file/state.json"];
    expect(problemsOf((await examine(folder.path, "--port", "0", ...state)).report)).toMatchObject({
      state: expect.stringContaining("Use another state with --state") as string,
    });
  });

  it("reports an address on which serve cannot listen", async () => {
    const { report } = await examine(
      process.cwd(),
      "--memory",
      "--host",
      "192.0.2.1",
      "--port",
      "0",
    );
    expect(problemsOf(report)).toMatchObject({
      port: expect.stringContaining("(EADDRNOTAVAIL). Choose another port or host") as string,
    });
  });
});

async function examine(cwd: string, ...args: string[]): Promise<{ code: unknown; report: Report }> {
  const { code, stdout } = await runMain(["doctor", "--json", ...args], { cwd });
  return { code, report: JSON.parse(stdout) as Report };
}

function messagesOf({ checks }: Report): Record<string, string> {
  return Object.fromEntries(checks.map(({ name, message }) => [name, message]));
}

/** The failed checks: each one's message and hint. */
function problemsOf({ checks }: Report): Record<string, string> {
  const failed = checks.filter(({ ok }) => !ok);
  return Object.fromEntries(failed.map(({ name, message, hint }) => [name, `${message} ${hint}`]));
}

async function listen(server: net.Server): Promise<AsyncDisposable & { readonly port: number }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
