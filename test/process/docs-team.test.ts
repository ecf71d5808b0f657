import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { DCLinter } from "dclint";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCli, startServe } from "../support/cli.ts";
import { BUYER, callsTo, headersOf } from "../support/calls.ts";
import { Page } from "../support/documents.ts";
import { createFolder } from "../support/folder.ts";
import { serveMain } from "../support/main.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { type Postgres, postgresPrograms, startPostgres } from "../support/postgres.ts";
import { type Ended, freePort, startProcess } from "../support/process.ts";
import { Composition, readServices } from "../team/composition.ts";
import { lacks } from "../support/lacks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TEAM = fileURLToPath(new URL("../../docs/team", import.meta.url));
const read = (name: string): Promise<string> => readFile(path.join(TEAM, name), "utf8");

/** What the linter finds in a file. Its own types cannot be resolved. */
interface Linted {
  readonly messages: readonly object[];
}

const page = await Page.read("docs/team.md");
const start = page.take("sh", "--advertise");
const pack = page.take("sh", "npm pack");
const secrets = page.take("sh", ".env");
const up = page.take("sh", "docker compose");
const backUp = page.take("sh", "pg_dump");
const restore = page.take("sh", "psql");
const certify = page.take("sh", "openssl");
const trust = page.take("sh", "NODE_EXTRA_CA_CERTS");
const moveIn = page.take("sh", "state copy");
const moveOut = page.take("sh", "state copy");

it("docs/team.md has no block that no test takes", () => expect(page.untaken).toEqual([]));

it.skipIf(lacks("openssl"))(
  "the certificate is for the names by which the team calls",
  async () => {
    expect(trust).toContain("/sandbox.pem\nnpx pix-sandbox ready --url https://sandbox-1:");
    await using folder = await createFolder();
    const [create = "", serve = ""] = certify.split("\nnpx pix-sandbox serve --host 0.0.0.0 ");
    execFileSync("sh", ["-c", create], { cwd: folder.path, stdio: "pipe" });
    await using serving = await serveMain(["--memory", ...serve.split(" ")], { cwd: folder.path });
    const url = `${serving.url}/_sandbox/health`;
    for (const servername of ["sandbox-1", "sandbox-2"]) {
      const ca = await readFile(folder.at("sandbox.pem"));
      const [response] = (await once(https.get(url, { ca, servername }), "response")) as [
        IncomingMessage,
      ];
      expect(response.resume().statusCode).toBe(200);
    }
  },
);

describe("docs/team/compose.yaml", () => {
  it("is valid by the schema of the Compose specification", () => {
    const off = ["service-keys-order", "services-alphabetical-order", "top-level-properties-order"];
    const rules = Object.fromEntries([...off, "require-quotes-in-ports"].map((name) => [name, 0]));
    const linter = new DCLinter({ rules: rules as never, quiet: true, debug: false, exclude: [] });
    const results = linter.lintFiles([path.join(TEAM, "compose.yaml")], false) as Linted[];
    expect(results.flatMap(({ messages }) => messages)).toEqual([]);
  });

  it("contains no secret, and refuses to start without", async () => {
    const text = await read("compose.yaml");
    const given = [...text.matchAll(/^ +(\w*(?:PASSWORD|TOKEN)\w*): (.*)$/gm)];
    expect(given.map(([, name]) => name).toSorted()).toEqual([
      "PGPASSWORD",
      "PIX_SANDBOX_CONTROL_TOKEN",
      "POSTGRES_PASSWORD",
    ]);
    for (const [, , value] of given) expect(value).toMatch(/^\$\{\w+:\?[^}]+\}$/);
    expect(() => readServices(text, {})).toThrow("set it in .env");
  });

  it("is started by a command for which every service waits for a healthy database", async () => {
    // No containers here: its options are those of Docker Compose.
    expect(up).toBe("docker compose up --build --detach --wait");
    const services = readServices(await read("compose.yaml"), await variables());
    for (const name of ["sandbox-1", "sandbox-2"])
      expect(services[name]?.depends_on).toEqual([["database", { condition: "service_healthy" }]]);
    expect(services["database"]?.volumes).toEqual(["database:/var/lib/postgresql/data"]);
  });
});

describe("a process without its database", () => {
  it("exits with the code that the page names", async () => {
    const code = Number(/exits with code (\d+)/.exec(page.section("Start a process"))?.[1]);
    const state = `postgres://127.0.0.1:${await freePort()}/pix`;
    expect(await runCli(["serve", "--port", "0", "--state", state])).toMatchObject({ code });
  });
});

describe("docs/team/haproxy.cfg", () => {
  it.skipIf(lacks("haproxy"))("is valid", () => {
    execFileSync("haproxy", ["-c", "-f", path.join(TEAM, "haproxy.cfg")], { stdio: "pipe" });
  });

  it("checks a route that finds the leader, with a host that every sandbox accepts", async () => {
    const config = await read("haproxy.cfg");
    expect(config).toContain("uri /_sandbox/ready ver HTTP/1.1 hdr Host sandbox\n");
    expect(page.section("Find the leader")).toContain("| `GET /_sandbox/ready` | 200");
  });
});

describe.skipIf(lacks("postgresql"))("the team of docs/team.md", () => {
  let server: Postgres;
  let programs: Awaited<ReturnType<typeof install>>;
  beforeAll(async () => {
    [server, programs] = [await startPostgres(), await install()];
  }, 4 * PATIENCE_MS);
  afterAll(async () => {
    await programs[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it.skipIf(lacks("haproxy"))(
    "keeps a payin when the leader of compose.yaml is killed",
    { timeout: 4 * PATIENCE_MS },
    async () => {
      const environment = await variables();
      const { PIX_SANDBOX_CONTROL_TOKEN: token = "" } = environment;
      await using team = await Composition.create(server, {
        folder: TEAM,
        variables: environment,
        programs: programs.folder,
      });
      for (const name of ["sandbox-1", "sandbox-2"]) await team.up(name);
      for (const name of ["database", "sandbox-1", "sandbox-2"]) await team.healthy(name);
      await team.up("load-balancer");
      const leader = await leaderOf(team, ["sandbox-1", "sandbox-2"]);
      const standby = leader === "sandbox-1" ? "sandbox-2" : "sandbox-1";
      await expectRows(team.url(leader), team.url(standby), token);

      const gateway = team.url("load-balancer");
      // Until its first checks the load balancer takes every sandbox for a leader.
      await team.logs("load-balancer", `Server leader/${standby} is DOWN`);
      const { status, body: payin } = await callsTo(gateway).createPayin({
        webhook_url: "http://127.0.0.1:9/",
      });
      expect(status).toBe(200);

      await team.kill(leader);
      await leaderOf(team, [standby]);
      await team.logs("load-balancer", `Server leader/${standby} is UP`);
      expect(await payinOf(gateway, payin.id, token)).toMatchObject({ id: payin.id });
      expect((await team.check(standby)).code).toBe(0);
      expect((await team.check(leader)).code).not.toBe(0);

      // The container that was killed is started again.
      await team.up(leader);
      await team.healthy(leader);
      expect(await isReady(team.url(leader))).toBe(false);

      for (const name of [leader, standby]) await team.kill(name);
      await team.logs("load-balancer", "backend leader has no server available");
      const unavailable = await callsTo(gateway).createPayin({});
      expect(unavailable).toMatchObject({ status: 503, body: { code: "EXTERNAL_ERROR" } });
    },
  );

  it("starts as shown, and its backup is restored", { timeout: 4 * PATIENCE_MS }, async () => {
    await using folder = await createFolder();
    const [from, to] = [await server.createDatabase(), await server.createDatabase()];
    const token = /PIX_SANDBOX_CONTROL_TOKEN='(.*)'/.exec(start)?.[1] ?? "";
    const serve = async (database: string): Promise<{ url: string } & AsyncDisposable> => {
      const port = await freePort();
      const shown = "postgres://pix@db.internal:5432/pix?sandbox=team";
      expect(start).toContain(shown);
      const script = start
        .replace(shown, `${server.url(database)}?sandbox=team&lease=8`)
        .replace("npx pix-sandbox serve", `exec pix-sandbox serve --port ${port}`);
      const env = { PATH: pathWith(programs.folder) };
      const program = startProcess("sh", ["-e", "-c", script], { env, cwd: folder.path });
      await program.lines("stderr", 1, (line) => line.startsWith("Ready"));
      return {
        url: `http://127.0.0.1:${port}`,
        async [Symbol.asyncDispose]() {
          await program.stop("SIGTERM");
        },
      };
    };
    const shell = async (script: string, env: Record<string, string>): Promise<Ended> => {
      const PATH = pathWith(programs.folder);
      await using program = startProcess("sh", ["-e", "-c", script], {
        env: { ...env, PATH },
        cwd: folder.path,
      });
      return await program.ended;
    };

    let id: string;
    {
      await using serving = await serve(from);
      const { body } = await callsTo(serving.url).createPayin({
        webhook_url: "http://127.0.0.1:9/",
      });
      id = body.id;
      const [row] = await server.query<{ count: string }>(
        "postgres",
        `SELECT count(*) FROM pg_stat_activity WHERE datname = '${from}'`,
      );
      expect(Number(row?.count)).toBeLessThanOrEqual(5);
      // The sandbox runs meanwhile, as the page says.
      const dumped = await shell(backUp, { DATABASE_URL: server.url(from) });
      expect(dumped).toMatchObject({ code: 0, stderr: "" });
    }
    const restored = await shell(restore, { NEW_DATABASE_URL: server.url(to) });
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    await using serving = await serve(to);
    expect(await payinOf(serving.url, id, token)).toMatchObject({ id, value: BUYER.value });
  });

  it("moves a state in and out", { timeout: 4 * PATIENCE_MS }, async () => {
    await using folder = await createFolder();
    const state = `${server.url(await server.createDatabase())}?sandbox=team&lease=8`;
    const cwd = folder.path;
    let id: string;
    {
      await using serving = await startServe(["--state", ".pix-sandbox/state.json"], { cwd });
      const members = { webhook_url: "http://127.0.0.1:9/" };
      ({ id } = (await callsTo(serving.url).createPayin(members)).body);
      await serving.stop();
    }
    for (const script of [moveIn, moveOut]) {
      const env = { PATH: pathWith(programs.folder), PIX_SANDBOX_STATE: state };
      const local = script.replace("npx pix-sandbox", "pix-sandbox");
      await using program = startProcess("sh", ["-e", "-c", local], { env, cwd });
      expect(await program.ended).toMatchObject({ code: 0 });
    }
    for (const copied of [state, "team.json"]) {
      await using serving = await startServe(["--state", copied], { cwd });
      await leading(serving.url);
      expect(await payinOf(serving.url, id, "")).toMatchObject({ id });
    }
  });
});

/** The variables that the page's script writes to .env. */
async function variables(): Promise<Readonly<Record<string, string>>> {
  await using folder = await createFolder();
  const env = { PATH: pathWith() };
  await using program = startProcess("sh", ["-e", "-c", secrets], { env, cwd: folder.path });
  expect(await program.ended).toMatchObject({ code: 0, stderr: "" });
  const text = await readFile(folder.at(".env"), "utf8");
  const lines = [...text.matchAll(/^(\w+)=(.+)$/gm)];
  return Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
}

/** Installs the package as the Dockerfile does. @returns the folder of its program */
async function install(): Promise<{ folder: string } & AsyncDisposable> {
  const dockerfile = await read("Dockerfile");
  const [, copied = ""] = /^COPY (\S+) \.\/$/m.exec(dockerfile) ?? [];
  const [, run = ""] = /^RUN (.*)$/m.exec(dockerfile) ?? [];
  const folder = await createFolder();
  const env = {
    ...process.env,
    PATH: pathWith(),
    npm_config_prefix: folder.path,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
  const shown = "npm pack --pack-destination docs/team";
  expect(pack).toBe(shown);
  // The tests run with a build that exists already.
  const packed = execFileSync(
    "npm",
    ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder.path],
    { env, cwd: ROOT, encoding: "utf8" },
  );
  expect(packed.trim()).toMatch(
    new RegExp(`^${copied.replaceAll(".", "\\.").replace("*", ".+")}$`),
  );
  execFileSync("sh", ["-e", "-c", run], { env, cwd: folder.path, stdio: "pipe" });
  return {
    folder: folder.at("bin"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function pathWith(...folders: readonly string[]): string {
  const all = [...folders, path.dirname(process.execPath), process.env["PATH"]];
  return [...all, postgresPrograms()].filter((one) => one !== undefined).join(":");
}

/** The first of several services that is ready, as soon as one is. */
function leaderOf(team: Composition, names: readonly string[]): Promise<string> {
  return vi.waitFor(
    async () => {
      for (const name of names) if (await isReady(team.url(name))) return name;
      throw new Error(`None of ${names.join(", ")} is ready.`);
    },
    { timeout: PATIENCE_MS, interval: 20 },
  );
}

async function leading(url: string): Promise<void> {
  await vi.waitFor(async () => expect(await isReady(url)).toBe(true), { timeout: PATIENCE_MS });
}

async function isReady(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(1000);
  return fetch(`${url}/_sandbox/ready`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function payinOf(url: string, id: string, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/_sandbox/payins/${id}`, {
    ...(token !== "" && { headers }),
  });
  expect(response.status).toBe(200);
  return response.json();
}

/** Compares a leader and a standby with the page's table "Find the leader". */
async function expectRows(leader: string, standby: string, token: string): Promise<void> {
  const rows = [
    ...page.section("Find the leader").matchAll(/^\| `GET (\S+)` \| (.*) \| (.*) \|$/gm),
  ];
  expect(rows).toHaveLength(2);
  const headers = { authorization: `Bearer ${token}` };
  for (const [, route = "", ofLeader = "", ofStandby = ""] of rows)
    for (const [url, shown] of [
      [leader, ofLeader],
      [standby, ofStandby],
    ] as const) {
      const response = await fetch(url + route, { headers });
      expect(response.status).toBe(Number(/\d{3}/.exec(shown)?.[0] ?? 200));
      const [body] = /\{.*\}/.exec(shown) ?? [];
      if (body !== undefined)
        expect(await response.json()).toMatchObject(JSON.parse(body) as object);
    }
  const refused = await fetch(`${standby}/v1/payins`, {
    method: "POST",
    headers: headersOf("shop"),
  });
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain(leader);
}
