/** This project and other mock servers, installed into temporary folders, and how each is started. */
import { execFile } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { HOST, chargeBody } from "./charge.js";
import { atExit, createFolder } from "./cleanup.js";
import { call, processFile, startSandbox } from "./servers.js";

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} [path] of the route that creates a payin
 * @property {(port: number) => Promise<string[]>} command the arguments of node; each logs as little as it can
 * @property {{ bytes: number, packages: number }} [size] installed
 */

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Installs all programs: this project as the package that `npm pack` makes, others from the package registry.
 * @returns {Promise<Program[]>} this project first
 */
export async function installAll() {
  const folder = await createFolder();
  const write = async (/** @type {string} */ name, /** @type {unknown} */ content) => {
    const file = path.join(folder, name);
    await writeFile(file, JSON.stringify(content));
    return file;
  };
  const { openapi, payin } = await readSandbox();
  const document = await write("openapi.json", openapi);
  const environment = await write("mockoon.json", mockoonEnvironment(payin));
  const options = (/** @type {string} */ text) => text.split(" ");

  const sandbox = await install(await pack(folder));
  const prism = await install("@stoplight/prism-cli@5.14.2"); // the newest for Node.js 20
  const mockoon = await install("@mockoon/cli@9.9.0");
  const mountebank = await install("mountebank@2.9.1");
  const jsonServer = await install("json-server@0.17.4");
  return [
    {
      ...sandbox,
      command: async (port) => [
        sandbox.program,
        ...options(`serve --memory --port ${port} --quiet`),
      ],
    },
    {
      name: "bare server",
      command: async (port) => [processFile("bare-server.js"), `--port=${port}`],
    },
    {
      ...prism,
      command: async (port) => [
        prism.program,
        ...options(`mock --host ${HOST} --port ${port} --verboseLevel silent`),
        document,
      ],
    },
    {
      ...mockoon,
      command: async (port) => [
        mockoon.program,
        ...options(`start --hostname ${HOST} --port ${port} --repair`),
        ...options("--disable-log-to-file --disable-admin-api --data"),
        environment,
      ],
    },
    {
      ...mountebank,
      command: async (port) => [
        mountebank.program,
        ...options(`start --localOnly --port ${await freePort()} --nologfile --loglevel error`),
        `--pidfile=${path.join(folder, "mb.pid")}`,
        `--configfile=${await write("imposters.json", mountebankImposters(port, payin))}`,
      ],
    },
    {
      ...jsonServer,
      path: "/payins",
      command: async (port) => [
        jsonServer.program,
        ...options(`--host ${HOST} --port ${port} --quiet`),
        await write("database.json", { payins: [] }),
      ],
    },
  ];
}

/** @returns {Promise<number>} a port that nothing listens on */
export function freePort() {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, HOST, () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** What the peers respond with: our OpenAPI document, and a payin of ours. */
async function readSandbox() {
  const { port, stop } = await startSandbox(["--memory"]);
  const openapi = await call(port, "/_sandbox/openapi.json");
  const payin = await call(port, "/v1/payins", chargeBody());
  await stop();
  return { openapi, payin };
}

/** @param {string} folder @returns {Promise<string>} the path of the package */
async function pack(folder) {
  const args = ["pack", "--ignore-scripts", "--pack-destination", folder, "--json"];
  const [{ filename }] = JSON.parse(await npm(args, CHECKOUT));
  return path.join(folder, filename);
}

/**
 * Installs a package into a folder of its own.
 * @param {string} specifier
 */
async function install(specifier) {
  process.stderr.write(`installing ${path.basename(specifier)}\n`);
  const folder = await createFolder();
  await writeFile(path.join(folder, "package.json"), "{}");
  await npm(["install", "--no-audit", "--no-fund", "--loglevel", "error", specifier], folder);
  const [name] = Object.keys((await readJson(path.join(folder, "package.json"))).dependencies);
  const home = path.join(folder, "node_modules", name);
  const { bin, version } = await readJson(path.join(home, "package.json"));
  const { packages } = await readJson(path.join(folder, "package-lock.json"));
  return {
    name: `${name} ${version}`,
    program: path.join(home, typeof bin === "string" ? bin : Object.values(bin)[0]),
    size: {
      bytes: await sizeOf(path.join(folder, "node_modules")),
      packages: Object.keys(packages).length - 1, // without the folder itself
    },
  };
}

/** @param {string[]} args @param {string} cwd @returns {Promise<string>} its output */
async function npm(args, cwd) {
  const running = promisify(execFile)("npm", args, { cwd, shell: process.platform === "win32" });
  atExit(() => running.child.kill());
  return (await running).stdout;
}

/** The bytes of all files in a folder. @param {string} folder @returns {Promise<number>} */
async function sizeOf(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const { parentPath, name } of files) bytes += (await stat(path.join(parentPath, name))).size;
  return bytes;
}

/** One POST route. `--repair` adds the default of everything that is missing. @param {object} payin */
function mockoonEnvironment(payin) {
  const headers = [{ key: "content-type", value: "application/json" }];
  const response = { body: JSON.stringify(payin), headers, disableTemplating: true, default: true };
  const route = { type: "http", method: "post", endpoint: "v1/payins", responses: [response] };
  return { name: "payins", routes: [{ uuid: crypto.randomUUID(), ...route }] };
}

/** One stub for every request. @param {number} port @param {object} payin */
function mountebankImposters(port, payin) {
  // By default it closes each connection.
  const headers = { "Content-Type": "application/json", Connection: "keep-alive" };
  const is = { statusCode: 200, headers, body: JSON.stringify(payin) };
  return { imposters: [{ port, protocol: "http", stubs: [{ responses: [{ is }] }] }] };
}

/** @param {string} file */
async function readJson(file) {
  return JSON.parse(await readFile(file, "utf8"));
}
