import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { type Ended, startProcess } from "../support/process.ts";
import { npm } from "./consumers/project.ts";
import { lacks } from "../support/lacks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const INSTALLED = fileURLToPath(new URL("node_modules/.bin", import.meta.url));

interface Manager {
  /** The words that start a package's program without installing it in a project. */
  readonly words: readonly [program: "npx" | "pnpm" | "yarn" | "bunx" | "deno", ...args: string[]];
  /** Whether it runs the program by itself, without Node.js. */
  readonly isRuntime: boolean;
  /** The words that start the program in a command that it runs itself. */
  readonly again: readonly string[];
}

const ofNode = { isRuntime: false, again: ["pix-sandbox"] };
const DENO = ["deno", "run", "-A", "npm:pix-sandbox"] as const;
const MANAGERS: readonly Manager[] = [
  { words: ["npx", "pix-sandbox"], ...ofNode },
  { words: ["pnpm", "dlx", "pix-sandbox"], ...ofNode },
  { words: ["yarn", "dlx", "pix-sandbox"], ...ofNode },
  { words: ["bunx", "pix-sandbox"], isRuntime: true, again: ["pix-sandbox"] },
  // It adds no programs of packages to PATH.
  { words: DENO, isRuntime: true, again: DENO },
];

describe("the package in a registry", { timeout: 120_000 }, () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await startRegistry();
  }, 120_000);
  afterAll(() => registry?.[Symbol.asyncDispose]());

  it.for(MANAGERS)("is started by $words.0", async (manager, context) => {
    const { words, isRuntime, again } = manager;
    const managerVersion = versionOf(words[0]);
    if (words[0] !== "npx" && lacks(words[0])) context.skip();
    await using home = await createHome(manager, registry.url);
    const run = (...args: readonly string[]): Promise<Ended> =>
      runIn(home, isRuntime, [...words, ...args]);

    const row = `| \`${words.join(" ")}\` | ${managerVersion} |`;
    if (words[0] !== "npx") expect(await readPlatforms()).toContain(row);

    registry.downloads.length = 0;
    const version = await run("--version");
    expect(version).toMatchObject({ code: 0 });
    expect(version.stdout.trim().split("\n")).toContain(registry.version);
    expect(registry.downloads).toEqual([registry.tarball]);

    const paid = await run("exec", "--", ...again, "trigger", "payin.paid");
    expect(paid).toMatchObject({ code: 0 });
    expect(paid.stdout).toContain("verified: the signature is valid");
    // The folder has no such package: its name could make npx fetch another one.
    expect(paid.stderr).toMatch(
      /: (?:node|bun|deno run -A) \S+pix-sandbox\.js trigger payin\.paid --webhook-url/,
    );
  });
});

function readPlatforms(): Promise<string> {
  return readFile(path.join(ROOT, "docs/platforms.md"), "utf8");
}

type Folder = Awaited<ReturnType<typeof createFolder>>;

function versionOf(program: string): string | undefined {
  const { stdout } = spawnSync(fileOf(program), ["--version"], { encoding: "utf8" });
  return /\d+\.\d+\.\d+/.exec(stdout ?? "")?.[0];
}

/** The machine's npx; the others are packages of the long tests. */
function fileOf(program: string): string {
  return program === "npx" ? program : path.join(INSTALLED, program);
}

/** The home of a user who has the manager, but no caches, with an empty project. */
async function createHome({ words: [program] }: Manager, url: string): Promise<Folder> {
  const home = await createFolder();
  for (const name of ["bin", "project", "tmp"]) await mkdir(home.at(name));
  if (program !== "npx") await symlink(fileOf(program), home.at(`bin/${program}`));
  await writeFile(home.at(".npmrc"), `registry=${url}\nupdate-notifier=false\n`);
  const yarn = { npmRegistryServer: url, unsafeHttpWhitelist: ["127.0.0.1"] };
  await writeFile(home.at(".yarnrc.yml"), JSON.stringify({ ...yarn, enableTelemetry: false }));
  return home;
}

/** Runs a command in the project, without the settings of this machine and of `npm run`. */
async function runIn(home: Folder, isRuntime: boolean, words: readonly string[]): Promise<Ended> {
  const node = isRuntime ? [] : [path.dirname(process.execPath), process.env["PATH"]];
  const given = [
    `PATH=${[home.at("bin"), ...node].join(path.delimiter)}`,
    `HOME=${home.path}`,
    // bunx stores packages there.
    `TMPDIR=${home.at("tmp")}`,
    "LANG=C",
  ];
  const options = { cwd: home.at("project") };
  await using running = startProcess("/usr/bin/env", ["-i", ...given, ...words], options);
  return await running.ended;
}

interface Registry extends AsyncDisposable {
  readonly url: string;
  readonly version: string;
  /** The path of the package's tarball. */
  readonly tarball: string;
  /** The paths of the tarballs that were requested. */
  readonly downloads: string[];
}

/** A registry that has this package as it is published, and passes other requests on to the machine's own. */
async function startRegistry(): Promise<Registry> {
  await using folder = await createFolder();
  // Without scripts: they would build dist again while other tests use it.
  await npm(folder.path, "pack", "--ignore-scripts", ROOT);
  const [file = ""] = await readdir(folder.path);
  const bytes = await readFile(folder.at(file));
  const manifest = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
  };
  const { name, version } = manifest;
  const tarball = `/${name}/-/${file}`;
  const others = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const downloads: string[] = [];

  const server = createServer(async (request, response) => {
    const { url: place = "" } = request;
    if (place.endsWith(".tgz")) downloads.push(place);
    if (place === tarball) response.end(bytes);
    else if (place === `/${name}`)
      response.setHeader("content-type", "application/json").end(JSON.stringify(metadata()));
    else {
      const answer = await fetch(new URL(place.slice(1), others)).catch((error: Error) =>
        Response.json(error.message, { status: 502 }),
      );
      const type = answer.headers.get("content-type") ?? "text/plain";
      response.writeHead(answer.status, { "content-type": type });
      response.end(Buffer.from(await answer.arrayBuffer()));
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const metadata = () => {
    const hash = (kind: string, form: "hex" | "base64"): string =>
      createHash(kind).update(bytes).digest(form);
    const dist = {
      tarball: new URL(tarball, url),
      shasum: hash("sha1", "hex"),
      integrity: `sha512-${hash("sha512", "base64")}`,
    };
    // Yarn and Deno take no version of the last day.
    const time = { [version]: "2020-01-01T00:00:00.000Z" };
    const versions = { [version]: { ...manifest, dist } };
    return { name, "dist-tags": { latest: version }, versions, time };
  };

  return {
    url,
    version,
    tarball,
    downloads,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
