import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readTrace } from "../support/trace.ts";
import { callsTo } from "../support/calls.ts";
import { createFolder } from "../support/folder.ts";
import { startMerchant } from "../support/merchant.ts";
import { type Ended, startProcess } from "../support/process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILES = ["GITHUB_ENV", "GITHUB_STATE", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] as const;

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: object;
  readonly runs: { readonly main: string; readonly post: string };
}
const action = parse(await readFile("action.yml", "utf8")) as Action;

/** A job of GitHub's runner, whose project has the package installed. */
async function startJob(
  inputs: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const folder = await createFolder();
  await mkdir(folder.at("node_modules"));
  await symlink(ROOT, folder.at("node_modules/pix-sandbox"), "junction");
  for (const name of FILES) await writeFile(folder.at(name), "");
  const read = async (name: (typeof FILES)[number]): Promise<Record<string, string>> => {
    const lines = (await readFile(folder.at(name), "utf8")).split("\n").filter(Boolean);
    return Object.fromEntries(
      lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    );
  };
  const step = async (
    file: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Ended> => {
    const given = Object.entries(action.inputs).map(([name, { default: standard }]) => [
      `INPUT_${name.toUpperCase()}`,
      inputs[name] ?? standard,
    ]);
    const env = {
      ...(Object.fromEntries(given) as Record<string, string>),
      ...Object.fromEntries(FILES.map((name) => [name, folder.at(name)])),
      RUNNER_TEMP: folder.path,
      ...environment,
      ...more,
    };
    await using program = startProcess(process.execPath, [path.join(ROOT, file)], {
      cwd: folder.path,
      env,
    });
    return await program.ended;
  };
  return {
    read,
    summary: () => readFile(folder.at("GITHUB_STEP_SUMMARY"), "utf8"),
    start: () => step(action.runs.main),
    /** The runner gives the state and the environment of the first half to the second. */
    stop: async () => {
      const state = Object.entries(await read("GITHUB_STATE"));
      const saved = Object.fromEntries(state.map(([name, value]) => [`STATE_${name}`, value]));
      return step(action.runs.post, { ...(await read("GITHUB_ENV")), ...saved });
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The step does not wait for the sandbox that it stops. */
const untilGone = (url: string): Promise<void> =>
  vi.waitFor(() => expect(fetch(url)).rejects.toThrow("fetch failed"), { timeout: 10_000 });

/** GitHub's service for artifacts, as far as an upload calls it. */
async function startResults(status = 200) {
  const received: Buffer[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push(Buffer.concat(chunks));
      const isAllowed =
        request.url === "/blob?signed" ? true : request.headers.authorization === `Bearer ${token}`;
      response.writeHead(isAllowed ? status : 401, { "content-type": "application/json" });
      response.end(JSON.stringify({ ok: true, signed_upload_url: `${url}/blob?signed` }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = { scp: "Actions.Example Actions.Results:11111111-aaaa:22222222-bbbb" };
  const token = `header.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
  return {
    received,
    environment: {
      ACTIONS_RUNTIME_TOKEN: token,
      ACTIONS_RESULTS_URL: `${url}/`,
      GITHUB_JOB: "test",
    },
    [Symbol.asyncDispose]: async () => server.close().closeAllConnections(),
  };
}

describe("the action for GitHub", () => {
  it("starts a sandbox, exports it, and judges the job at its end", async () => {
    await using job = await startJob({
      options: "--seed 42\n--assume webhook.retries=none",
      "fail-on": "error",
    });
    expect(await job.start()).toMatchObject({ code: 0, stderr: "" });
    const exported = await job.read("GITHUB_ENV");
    const outputs = await job.read("GITHUB_OUTPUT");
    expect(Object.keys(outputs)).toEqual(Object.keys(action.outputs));
    expect(exported["PIX_SANDBOX_BASE_URL"]).toBe(outputs["base-url"]);

    // A merchant that redirects its webhooks elsewhere: the review fails.
    await using merchant = await startMerchant({ answer: 302 });
    const calls = callsTo(outputs["url"] ?? "", "a-token-of-its-own");
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await calls.simulate("payin", body.id);

    const { code, stdout } = await job.stop();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^::error title=webhook_answer_redirects::\S.*$/m);
    expect(stdout).toMatch(/^::error title=The review of the integration::\S.*$/m);
    expect(stdout).toMatch(/^::group::pix-sandbox's log\n[^]*-->[^]*\n::endgroup::$/m);
    expect(await job.summary()).toMatch(/webhook_answer_redirects/);
    await untilGone(outputs["url"] ?? "");
  });

  it("fetches no package for a project that has none", async () => {
    await using folder = await createFolder();
    await cp(path.join(ROOT, "action"), folder.at("action"), { recursive: true });
    await writeFile(folder.at("package.json"), '{"type":"module"}');
    const start = path.join("action", "start.js");
    await using program = startProcess(process.execPath, [start], { cwd: folder.path });
    expect(await program.ended).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^::error title=pix-sandbox is not installed::/),
    });
  });

  it("fails nothing by default, and prints nothing of outside as a command", async () => {
    await using job = await startJob();
    await job.start();
    const { url = "" } = await job.read("GITHUB_OUTPUT");
    await using merchant = await startMerchant({ answer: 302 });
    const calls = callsTo(url, "shop");
    const { body } = await calls.createPayin({
      webhook_url: merchant.url,
      description: "\n::error::mine",
    });
    if ("id" in body) await calls.simulate("payin", body.id);
    const { code, stdout } = await job.stop();
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/^::error::mine/m);
    await untilGone(url);
  });

  it("uploads the traces of the sandbox and of tests that failed", async () => {
    await using results = await startResults();
    await using job = await startJob({}, results.environment);
    await job.start();
    const { url = "" } = await job.read("GITHUB_OUTPUT");
    const { PIX_SANDBOX_TRACES: folder = "" } = await job.read("GITHUB_ENV");
    const webhookUrl = `${url}/_sandbox/sink/shop`;
    const { body } = await callsTo(url, "shop").createPayin({ webhook_url: webhookUrl });
    await writeFile(path.join(folder, "Testé é pago.trace.html"), "<html></html>");

    const { code, stdout } = await job.stop();
    expect(code).toBe(0);
    expect(stdout).toContain("Traces are in the artifact pix-sandbox-traces-test-22222222.");
    const [create, upload, finalize] = results.received;
    const of = {
      workflow_run_backend_id: "11111111-aaaa",
      workflow_job_run_backend_id: "22222222-bbbb",
      name: "pix-sandbox-traces-test-22222222",
    };
    expect(JSON.parse(String(create))).toEqual({ ...of, version: 4 });
    const zip = upload ?? Buffer.alloc(0);
    await using unzipped = await createFolder();
    const file = unzipped.at("traces.zip");
    await writeFile(file, zip);
    const target = unzipped.at("files");
    const { status } = spawnSync("python3", ["-m", "zipfile", "-e", file, target]);
    expect(status).toBe(0);
    const names = await readdir(target);
    expect(names.toSorted()).toEqual(["Testé é pago.trace.html", "sandbox.html"]);
    const { rows } = readTrace(await readFile(path.join(target, "sandbox.html"), "utf8"));
    expect(rows["/payins"]).toMatchObject([{ id: (body as { id: string }).id }]);
    const hash = `sha256:${createHash("sha256").update(zip).digest("hex")}`;
    expect(JSON.parse(String(finalize))).toEqual({ ...of, size: String(zip.length), hash });
  });

  it("fails no job because traces cannot be uploaded, and uploads none if that is not wanted", async () => {
    await using results = await startResults(500);
    await using job = await startJob({}, results.environment);
    await job.start();
    expect(await job.stop()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("::warning title=The traces were not uploaded::") as string,
    });
    await using quiet = await startJob({ traces: "false" }, results.environment);
    await quiet.start();
    expect(await quiet.read("GITHUB_ENV")).not.toHaveProperty("PIX_SANDBOX_TRACES");
    const before = results.received.length;
    expect((await quiet.stop()).stdout).not.toContain("artifact");
    expect(results.received).toHaveLength(before);
  });

  it("says why the sandbox did not start, and then stops nothing", async () => {
    await using job = await startJob({ options: "--no-such-option" });
    const { code, stdout } = await job.start();
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^::error title=pix-sandbox did not start::error: Unknown option .*--no-such-option/m,
    );
    expect(await job.stop()).toMatchObject({ code: 0, stdout: "" });
  });
});

interface Component {
  readonly spec: {
    readonly inputs: Readonly<Record<string, { readonly default?: string } | null>>;
  };
}
interface Jobs {
  readonly "pix-sandbox": { readonly script: readonly string[] };
}

function documentsOf(text: string): unknown[] {
  return parseAllDocuments(text).map((document) => document.toJS() as unknown);
}

describe("the component for GitLab", () => {
  it.each([
    ["node -e 0", 0],
    ["node --no-such-option", 9],
  ])("runs %s with a sandbox of its own", async (command, code) => {
    const text = await readFile("templates/test.yml", "utf8");
    const header = documentsOf(text)[0];
    const { inputs } = (header as Component).spec;
    const given: Readonly<Record<string, string>> = { command, install: "true" };
    const filled = text.replaceAll(
      /\$\[\[ inputs\.([\w-]+) \]\]/g,
      (_, name: string) => given[name] ?? inputs[name]?.default ?? "",
    );
    const jobs = documentsOf(filled)[1];
    const { script } = (jobs as Jobs)["pix-sandbox"];
    await using folder = await createFolder();
    await writeFile(
      folder.at("npx"),
      `#!/bin/sh\n[ "$1 $2" = "--no pix-sandbox" ] || exit 1\nshift 2\nexec "${process.execPath}" "${ROOT}/bin/pix-sandbox.js" "$@"\n`,
      { mode: 0o755 },
    );
    const env = { PATH: `${folder.path}:${process.env["PATH"]}` };
    await using shell = startProcess("sh", ["-e", "-c", script.join("\n")], {
      cwd: folder.path,
      env,
    });
    const ended = await shell.ended;
    // Nothing was judged: the job fails although its command passed.
    expect([ended.code, ended.stderr]).toEqual([
      code || 8,
      expect.stringContaining("The command made no call to the sandbox of exec"),
    ]);
    expect(await readFile(folder.at("pix-sandbox.xml"), "utf8")).toContain("<testsuite");
  });
});
