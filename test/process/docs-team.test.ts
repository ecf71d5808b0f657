import { writeFile } from "node:fs/promises";
import { DCLinter } from "dclint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { callsTo } from "../support/calls.ts";
import { startServe } from "../support/cli.ts";
import { Page, type Stage, startStage } from "../support/documents.ts";
import { createFolder } from "../support/folder.ts";
import { lacks } from "../support/lacks.ts";
import { type Postgres, postgresPrograms, startPostgres } from "../support/postgres.ts";
import { freePort } from "../support/process.ts";

const page = await Page.read("docs/team.md");
const start = page.take("sh", "PIX_SANDBOX_STATE");
const compose = page.take("yaml");
const backUp = page.take("sh", "pg_dump");
const restore = page.take("sh", "psql");
const move = page.take("sh", "state copy");
const SHOWN = "postgres://pix@db.internal:5432/pix?sandbox=team";
const WEBHOOK = { webhook_url: "http://127.0.0.1:9/" };

it("docs/team.md has no block that no test takes, and at most 600 words", () => {
  expect(page.untaken).toEqual([]);
  expect(page.text.match(/\S+/g)?.length).toBeLessThanOrEqual(600);
});

describe("compose.yaml", () => {
  it("is valid by the schema of the Compose specification", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("compose.yaml"), compose);
    const off = ["service-keys-order", "top-level-properties-order", "require-project-name-field"];
    const more = [
      "require-quotes-in-ports",
      "no-unbound-port-interfaces",
      "service-image-require-explicit-tag",
    ];
    const rules = Object.fromEntries([...off, ...more].map((name) => [name, 0]));
    const linter = new DCLinter({ rules: rules as never, quiet: true, debug: false, exclude: [] });
    const results = linter.lintFiles([folder.at("compose.yaml")], false) as {
      readonly messages: readonly object[];
    }[];
    expect(results.flatMap(({ messages }) => messages)).toEqual([]);
  });

  it("has secrets of .env only, and the variables of the page", () => {
    const { services } = parse(compose) as {
      services: Record<string, { environment: Record<string, string> }>;
    };
    const { sandbox, database } = services;
    expect(sandbox?.environment).toEqual({
      PIX_SANDBOX_STATE: SHOWN.replace("db.internal", "database"),
      PGPASSWORD: database?.environment["POSTGRES_PASSWORD"],
      PIX_SANDBOX_CONTROL_TOKEN: "${PIX_SANDBOX_CONTROL_TOKEN:?set it in .env}",
    });
    for (const name of Object.keys(sandbox?.environment ?? {})) expect(start).toContain(name);
  });
});

describe.skipIf(lacks("postgresql"))("the database of docs/team.md", () => {
  let server: Postgres;
  let stage: Stage;
  beforeAll(async () => {
    [server, stage] = [await startPostgres(), await startStage()];
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** Runs what the page says, with PostgreSQL's own programs. */
  const shell = (script: string, variables: Record<string, string>) => {
    const exported = Object.entries(variables).map(
      ([name, value]) => `export ${name}='${value}'\n`,
    );
    return stage.shell(`PATH="${postgresPrograms()}:$PATH"\n${exported.join("")}${script}`);
  };

  it("starts as shown, and its backup is restored", async () => {
    const [from, to] = [await server.createDatabase(), await server.createDatabase()];
    const port = await freePort();
    expect(start).toContain(SHOWN);
    const script = start
      .replace(SHOWN, `${server.url(from)}?sandbox=team`)
      .replace("npx pix-sandbox serve", `exec npx pix-sandbox serve --port ${port}`);
    const serving = stage.start(script);
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    const { body } = await callsTo(`http://127.0.0.1:${port}`).createPayin(WEBHOOK);
    // The sandbox runs meanwhile, as the page says.
    const dumped = await shell(backUp, { DATABASE_URL: server.url(from) });
    expect(dumped).toMatchObject({ code: 0, stderr: "" });
    expect(await serving.stop("SIGTERM")).toMatchObject({ code: 0 });
    const restored = await shell(restore, { NEW_DATABASE_URL: server.url(to) });
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    await using again = await startServe(["--state", `${server.url(to)}?sandbox=team`]);
    await callsTo(again.url).control("GET", `/payins/${body.id}`);
  });

  it("takes a state in and gives it out", async () => {
    const state = `${server.url(await server.createDatabase())}?sandbox=team`;
    const serving = await startServe(["--state", stage.at(".pix-sandbox/state.json")]);
    const { body } = await callsTo(serving.url).createPayin(WEBHOOK);
    await serving.stop();
    expect(await shell(move, { PIX_SANDBOX_STATE: state })).toMatchObject({ code: 0, stderr: "" });
    for (const copied of [state, stage.at("team.json")]) {
      await using again = await startServe(["--state", copied]);
      await callsTo(again.url).control("GET", `/payins/${body.id}`);
    }
  });
});
