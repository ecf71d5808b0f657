import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacks } from "../support/lacks.ts";
import { createCertificate } from "../support/certificate.ts";
import { createFolder } from "../support/folder.ts";
import { type Ended, startProcess } from "../support/process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TSC = path.join(ROOT, "node_modules/typescript/bin/tsc");
const ESBUILD = path.join(ROOT, "node_modules/.bin/esbuild");

const TYPED = `
import { SandboxError, startSandbox, type Review, type RuleId, type Sandbox, type SandboxOptions } from "pix-sandbox";
import { freshIntegration } from "pix-sandbox/jest";
import { sandboxSetup } from "pix-sandbox/jest/setup";
const options: SandboxOptions = { seed: "42", clock: "frozen" };
export default sandboxSetup(options);
export const isRefusal = (error: unknown): error is SandboxError => error instanceof SandboxError;
export const list = async (): Promise<readonly object[]> => (await freshIntegration()).payins.list();
export const broken = ({ rules }: Review): readonly RuleId[] =>
  rules.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
export const judge = async (): Promise<Review> =>
  (await freshIntegration()).report({ final: true });
export async function start(): Promise<string> {
  const sandbox: Sandbox = await startSandbox(options);
  // @ts-expect-error -- a port is a number
  await startSandbox({ port: "7490" });
  return sandbox.baseUrl;
}
`;

const BIN = "node_modules/pix-sandbox/bin/pix-sandbox.js";
/** All but pix-sandbox/vitest, which cannot be linked without vitest. */
const ENTRIES = [
  "pix-sandbox",
  "pix-sandbox/vitest/setup",
  "pix-sandbox/jest",
  "pix-sandbox/jest/setup",
  "pix-sandbox/jest/teardown",
  "pix-sandbox/playwright",
];

/** Of dependencies: tunnels, browsers, the clipboard, web sockets, and what a certificate does not need. */
const UNREACHED =
  "cloudflared untun xdg-open WindowsPowerShell tinyclip clipboardy pbcopy xclip crossws jiti forge.tls. forge.pkcs7 forge.ssh forge.ed25519".split(
    " ",
  );

/** Classes that happy-dom puts in the place of Node's. Its `Headers` is used: Node exports no other. */
const REPLACED =
  "AbortController AbortSignal Blob Event EventTarget FormData ReadableStream Request Response TextDecoder URL URLSearchParams".split(
    " ",
  );

/** What is published, as npm packs it, installed in an empty project without a network. */
describe("the package", { timeout: 60_000 }, () => {
  let project: Awaited<ReturnType<typeof createFolder>>;
  const run = async (command: string, ...args: string[]): Promise<Ended> => {
    await using program = startProcess(command, args, { cwd: project.path });
    return await program.ended;
  };
  const npm = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await run("npm", ...args);
    if (code !== 0) throw new Error(`npm ${args[0]} ended with ${code}: ${stderr}`);
  };
  beforeAll(async () => {
    project = await createFolder();
    await writeFile(project.at("package.json"), `{ "name": "shop", "private": true }`);
    // It stores its compiled code in the folder that is packed.
    await run(process.execPath, path.join(ROOT, "bin/pix-sandbox.js"), "--version");
    // The tests run on what was built; to pack must not build it anew beneath them.
    await npm("pack", "--ignore-scripts", ROOT);
    const { version } = await manifest();
    const tarball = `./pix-sandbox-${version}.tgz`;
    await npm("install", "--offline", "--no-audit", "--no-fund", tarball);
  }, 120_000);
  afterAll(() => project[Symbol.asyncDispose]());

  it("contains no code that no option reaches", async () => {
    const dist = project.at("node_modules/pix-sandbox/dist");
    const files = await readdir(dist, { recursive: true });
    const found = await Promise.all(
      files
        .filter((name) => /\.(?:js|cjs|mjs)$/.test(name))
        .map(async (name) => {
          const text = await readFile(path.join(dist, name), "utf8");
          return UNREACHED.filter((one) => text.includes(one)).map((one) => `${one} in ${name}`);
        }),
    );
    // The sandbox's own `--open` calls the program of the system.
    expect(found.flat()).toEqual(["xdg-open in chunks/open-browser.cjs"]);
  });

  it("contains the JSON Schema of the config file, where init's $schema says", async () => {
    const source = `console.log(require.resolve("pix-sandbox/config.schema.json"))`;
    const { stdout } = await run(process.execPath, "-e", source);
    const file = project.at("node_modules/pix-sandbox/config.schema.json");
    expect(stdout).toBe(`${file}\n`);
    expect(JSON.parse(await readFile(file, "utf8"))).toHaveProperty("properties.public_url");
  });

  it.for([
    ["a certificate of its own", "{ https: true }"],
    ["a given certificate", '{ tlsCert: "cert.pem", tlsKey: "key.pem" }'],
  ])("serves HTTPS with %s", async ([kind, options], { skip }) => {
    if (kind === "a given certificate") {
      skip(lacks("openssl"));
      createCertificate(project.at("cert.pem"), project.at("key.pem"));
    }
    const source = `const { createClient, startSandbox } = require("pix-sandbox");
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
      startSandbox(${options}).then(async (sandbox) => {
        const client = createClient({ baseUrl: sandbox.url });
        const { id } = await client.payins.create();
        console.log(sandbox.url.split(":")[0], (await client.payins.pay(id)).status);
        await sandbox.close();
      });`;
    const ended = await run(process.execPath, "--no-warnings", "-e", source);
    expect(ended).toMatchObject({ code: 0, stdout: "https paid\n", stderr: "" });
  });

  it.each(["before", "after"])(
    "uses Node's own classes if a test environment replaces the globals %s it is loaded",
    async (when) => {
      const source = `import http from "node:http";
        const replace = () => {
          globalThis.Headers; // Node loads it at its first use.
          for (const name of ${JSON.stringify(REPLACED)})
            globalThis[name] = class { constructor() { throw new Error(name + " is the environment's."); } };
          globalThis.fetch = () => { throw new Error("fetch is the environment's."); };
          // jsdom's: an array of another realm.
          globalThis.Uint8Array = class extends Array {};
        };
        if (${when === "before"}) replace();
        const { createClient, startSandbox } = await import("pix-sandbox");
        if (${when === "after"}) replace();
        const sandbox = await startSandbox();
        const hook = await sandbox.receiver();
        for (const one of [sandbox, createClient({ baseUrl: sandbox.url })]) {
          const events = one.events();
          let off;
          const paid = new Promise((resolve) => (off = one.on("payin.paid", resolve)));
          const { id, qrCode } = await one.payins.create({ webhookUrl: hook.url });
          await one.payins.payCode(qrCode);
          const { isVerified } = await hook.next("payin.paid");
          for await (const { type } of events) if (type === "payin.paid") break;
          console.log(isVerified, (await paid).data.id === id, (await one.payins.list()).length);
          off();
        }
        const head = { method: "HEAD", agent: false };
        console.log(await new Promise((resolve) => http.request(sandbox.url + "/_sandbox/payins", head, ({ statusCode }) => resolve(statusCode)).end()));
        await sandbox.close();`;
      await writeFile(project.at(`${when}.mjs`), source);
      expect(await run(process.execPath, `${when}.mjs`)).toMatchObject({
        code: 0,
        stdout: "true true 1\ntrue true 2\n200\n",
        stderr: "",
      });
    },
  );

  it("brings no other package", async () => {
    const lock = JSON.parse(await readFile(project.at("package-lock.json"), "utf8")) as {
      packages: object;
    };
    expect(Object.keys(lock.packages)).toEqual(["", "node_modules/pix-sandbox"]);
  });

  it("stores the compiled code of its commands in its own folder, which is empty at first", async () => {
    const folder = project.at("node_modules/pix-sandbox/dist/code-cache");
    expect(existsSync(folder)).toBe(false);
    for (const _ of ["compiled", "from the cache"])
      expect(await run(process.execPath, BIN, "--version")).toMatchObject({ code: 0, stderr: "" });
    expect(await readdir(folder)).toEqual([`node-${process.version}-${process.arch}`]);
  });

  it("has the license of every package that went into it", async () => {
    const file = project.at("node_modules/pix-sandbox/dist/THIRD-PARTY-LICENSES.txt");
    const text = await readFile(file, "utf8");
    for (const name of [
      "chalk",
      "commander",
      "h3",
      "listhen",
      "lowdb",
      "pngjs",
      "qrcode",
      "srvx",
      "zod",
    ])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, "m"));
    for (const name of ["jsqr", "qrcode-terminal"])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(Apache-2\\.0\\)$`, "m"));
    expect(text).not.toMatch(/^\S+ \S+ \((undefined|)\)$/m);
    expect(text).not.toContain("No license text is part of the package.");
  });

  it.each([
    ["ES modules", "shop.mjs", `import { startSandbox } from "pix-sandbox"; START`],
    ["CommonJS", "shop.cjs", `const { startSandbox } = require("pix-sandbox"); START`],
  ])("starts from %s", async (_kind, file, source) => {
    const start = `startSandbox().then(async (sandbox) => {
      const { status } = await fetch(sandbox.url + "/_sandbox/health");
      await sandbox.close();
      console.log(status);
    });`;
    await writeFile(project.at(file), source.replace("START", start));
    const quiet = { code: 0, stdout: "200\n", stderr: "" };
    expect(await run(process.execPath, file)).toMatchObject(quiet);
  });

  it("reads a picture", async () => {
    const bin = "node_modules/.bin/pix-sandbox";
    const code =
      "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";
    await run(bin, "qr", code, "-o", "charge.png");
    const ended = await run(bin, "decode", "charge.png", "--json");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ended.stdout)).toMatchObject({ code });
  });

  it("has the same classes in CommonJS as in ES modules", async () => {
    await writeFile(
      project.at("both.mjs"),
      `import { createRequire } from "node:module";
      import * as imported from "pix-sandbox";
      const required = createRequire(import.meta.url)("pix-sandbox");
      const names = Object.keys(imported);
      console.log(names.length > 1 && names.every((name) => required[name] === imported[name]));`,
    );
    expect(await run(process.execPath, "both.mjs")).toMatchObject({ code: 0, stdout: "true\n" });
  });

  it("starts from its command", async () => {
    const bin = "node_modules/.bin/pix-sandbox";
    const ended = await run(bin, "exec", "--", bin, "payin", "create", "--json");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: "waiting" });
  });

  it.each([
    ["an ES module", "shop.mts", "nodenext"],
    ["a CommonJS module", "shop.cts", "nodenext"],
    ["a CommonJS module that is to require no ES module", "strict.cts", "node16"],
    ["a bundler", "bundled.ts", "preserve"],
  ])("has types that need no other package than Node's, for %s", async (_kind, file, module) => {
    await writeFile(project.at(file), TYPED);
    const types = ["--typeRoots", path.join(ROOT, "node_modules/@types"), "--types", "node"];
    const strict = ["--strict", "--skipLibCheck", "false", "--lib", "es2023,esnext.disposable"];
    const args = [TSC, "--noEmit", "--module", module, ...strict, ...types, file];
    expect(await run(process.execPath, ...args)).toMatchObject({ code: 0, stdout: "" });
  });

  it("has the declarations that its entries reach, and no others", async () => {
    const entries = typesIn((await manifest()).exports).map(
      (file) => `node_modules/pix-sandbox/${file}`,
    );
    const args = ["--listFilesOnly", "--ignoreConfig", "--module", "nodenext", "--types", ""];
    const { stdout } = await run(process.execPath, TSC, ...args, ...entries);
    const dist = project.at("node_modules/pix-sandbox/dist");
    const reached = stdout.split("\n").filter((file) => file.startsWith(dist));
    const packed = (await readdir(dist, { recursive: true }))
      .filter((file) => /\.d\.c?ts$/.test(file))
      .map((file) => path.join(dist, file));
    expect(entries.length).toBeGreaterThan(ENTRIES.length);
    expect(packed.toSorted()).toEqual(reached.toSorted());
    // A project that checks the types of its libraries has no other packages.
    const texts = await Promise.all(packed.map((file) => readFile(file, "utf8")));
    const named = texts.flatMap((text) => [...text.matchAll(/(?: from |import\()"([^."][^"]*)"/g)]);
    const names = new Set(named.map(([, name = ""]) => name));
    expect([...names].toSorted()).toEqual(["@playwright/test", "vitest", "vitest/node"]);
  });

  it.each([
    ["esm", "in"],
    ["cjs", "in"],
    ["esm", "out of"],
    ["cjs", "out of"],
  ])("starts %s, %s a bundle", async (format, place) => {
    const source = `import { startSandbox, useSandbox } from "pix-sandbox";
      void startSandbox().then(async (sandbox) => {
        await sandbox.payins.create();
        const { status } = await fetch(sandbox.url + "/_sandbox/");
        const trace = await sandbox.trace().then(() => "a trace", (error) => error.message);
        await sandbox.close();
        console.log(typeof useSandbox, status, trace);
      });`;
    await writeFile(project.at("shop.js"), source);
    const docs = await readFile(path.join(ROOT, "docs/testing.md"), "utf8");
    const [, shown = ""] = /^npx esbuild (.*)$/m.exec(docs) ?? [];
    const bundle = format === "cjs" ? "bundle.cjs" : "bundle.mjs";
    const args = shown
      .replace("--format=esm", `--format=${format}`)
      .replace("--outfile=bundle.mjs", `--outfile=${bundle}`)
      .split(" ")
      .filter((arg) => place === "out of" || arg !== "--external:pix-sandbox");
    expect(await run(ESBUILD, ...args)).toMatchObject({ code: 0 });
    const missing =
      "The files of this page are missing, since pix-sandbox is in a bundle. Keep it out, for example with --external:pix-sandbox.";
    expect(await run(process.execPath, bundle)).toMatchObject({
      code: 0,
      stdout: place === "in" ? `function 404 ${missing}\n` : "function 200 a trace\n",
      stderr: "",
    });
  });

  it("loads less than half of itself for a sandbox in memory", async () => {
    await writeFile(
      project.at("loaded.cjs"),
      `const { readdirSync, statSync } = require("node:fs");
      const sizeOf = (files) => files.reduce((sum, file) => sum + statSync(file).size, 0);
      require("pix-sandbox").startSandbox().then(async (sandbox) => {
        await sandbox.payins.create();
        await sandbox.close();
        const chunks = require.resolve("pix-sandbox").replace("index.cjs", "chunks/");
        const all = readdirSync(chunks).filter((name) => name.endsWith(".cjs")).map((name) => chunks + name);
        console.log(sizeOf(Object.keys(require.cache)) < sizeOf(all) / 2);
      });`,
    );
    expect(await run(process.execPath, "loaded.cjs")).toMatchObject({ code: 0, stdout: "true\n" });
  });

  it("prints one readable line of source for an error that nothing catches", async () => {
    const source = 'require("pix-sandbox").startSandbox({ port: "7490" })';
    const { code, stderr } = await run(process.execPath, "-e", source);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/throw new .*OptionError\(.*\n\s*\^/) as string,
    });
    expect(Math.max(...stderr.split("\n").map((line) => line.length))).toBeLessThan(300);
  });

  const OLD = ["18.20.8", "20.18.3", "21.7.3", "22.11.0"];

  it.each(OLD)("refuses Node %s in a sentence", async (old) => {
    const stderr = `${refusalOf(old)}\n`;
    expect(await runAs(old, BIN, "--version")).toMatchObject({ code: 1, stderr });
  });

  it.each(ENTRIES)("refuses an old Node when %s is imported", async (entry) => {
    const { code, stderr } = await runAs("22.11.0", "-e", `import("${entry}")`);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`\nError: ${refusalOf("22.11.0")}\n`) as string,
    });
  });

  it("refuses an old Node when an entry is required", async () => {
    const source = `for (const entry of ${JSON.stringify(ENTRIES)})
      try { require(entry); } catch ({ message }) { console.log(entry, message); }`;
    const { stdout } = await runAs("22.11.0", "-e", source);
    const lines = ENTRIES.map((entry) => `${entry} ${refusalOf("22.11.0")}\n`);
    expect(stdout).toBe(lines.join(""));
  });

  it.each(["20.19.0", "22.12.0", "23.0.0", "26.0.0"])("accepts Node %s", async (version) => {
    expect(await runAs(version, BIN, "--version")).toMatchObject({ code: 0, stderr: "" });
  });

  /** Runs this Node under the version number of another; test/long/consumers/node-versions.test.ts runs the real ones. */
  async function runAs(version: string, ...args: string[]): Promise<Ended> {
    const source = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
    await writeFile(project.at("version.cjs"), source);
    return run(process.execPath, "--require", "./version.cjs", ...args);
  }
});

function refusalOf(node: string): string {
  return `pix-sandbox needs Node.js 20.19 or newer in version 20, or 22.12 or newer; this is ${node}. Get a newer one from https://nodejs.org.`;
}

async function manifest(): Promise<{ version: string; exports: object }> {
  const text = await readFile(path.join(ROOT, "package.json"), "utf8");
  return JSON.parse(text) as { version: string; exports: object };
}

/** The files of declarations among a manifest's conditions. */
function typesIn(conditions: object): string[] {
  return Object.entries(conditions).flatMap(([condition, value]: [string, object | string]) => {
    if (typeof value === "object") return typesIn(value);
    return condition === "types" ? [value] : [];
  });
}
