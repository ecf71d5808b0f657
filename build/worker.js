// Bundles the sandbox for a worker of a browser: the server's own code, with other parts in place of Node's.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { PURE_TEXTS, textsPlugin } from "./page.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BROWSER = path.join(ROOT, "src/browser");
const source = (/** @type {string} */ file) => path.join(ROOT, "src", file);

/** Node's modules that have a file of their own; the others are in rest.ts. */
const OWN_FILES = new Set(["buffer", "crypto", "timers", "zlib"]);
/** Files that a tab has another one for. */
const REPLACED = new Map([
  [source("delivery/connection.ts"), path.join(BROWSER, "instead/connection.ts")],
  [source("platform/process-globals.ts"), path.join(BROWSER, "instead/tab-globals.ts")],
]);
/** Files that a tab has no use for: loading one of them fails. */
const ABSENT = [
  "http/faces/h3.ts",
  "server/trace/write-trace.ts",
  "server/start-up/certificate.ts",
  "store/file/state-file.ts",
  "store/postgres/shared-state.ts",
].map(source);

/** @param {{ write?: boolean }} options */
export function buildWorker({ write = true } = {}) {
  return build({
    input: { worker: path.join(BROWSER, "worker.ts") },
    write,
    platform: "browser",
    transform: {
      target: "es2022",
      inject: {
        Buffer: [path.join(BROWSER, "node/buffer.ts"), "Buffer"],
        process: [path.join(BROWSER, "node/rest.ts"), "process"],
      },
      define: { "import.meta.url": '"file:///"', "import.meta.env": "undefined" },
    },
    plugins: [{ name: "tab", resolveId }, textsPlugin()],
    treeshake: PURE_TEXTS,
    output: {
      dir: "dist/inspector",
      format: "iife",
      entryFileNames: "[name].js",
      comments: false,
      minify: true,
      codeSplitting: false,
    },
  });
}

/**
 * @this {import("rolldown").PluginContext}
 * @param {string} id
 * @param {string | undefined} from
 */
async function resolveId(id, from) {
  const [, name] = /^node:(.+)$/.exec(id) ?? [];
  if (name !== undefined)
    return path.join(BROWSER, "node", OWN_FILES.has(name) ? `${name}.ts` : "rest.ts");
  if (!id.startsWith(".") || from === undefined || from.startsWith(BROWSER)) return null;
  const file = path.resolve(path.dirname(from), id);
  if (ABSENT.includes(file)) return path.join(BROWSER, "instead/absent.ts");
  return REPLACED.get(file) ?? null;
}
