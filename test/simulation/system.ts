import * as crypto from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { build, type Plugin } from "esbuild";
import type { SimulatedSender } from "./network.ts";
import type * as parts from "./parts.ts";

/** What the gateway's code finds outside itself: time, chance, the network and the lock. The disk it is handed. */
export interface Outside {
  nowMs(): number;
  setTimeout(act: () => void, delayMs?: number): unknown;
  setImmediate(act: () => void): unknown;
  clear(timer: unknown): void;
  randomUUID(): string;
  createSender(): SimulatedSender;
}

/** The gateway's own code, which runs in whatever world it is put in. */
export interface System {
  readonly parts: typeof parts;
  /** From now on its code finds itself in this one. */
  enter(outside: Outside): void;
}

/** A text of the source, which stands there once, and what is planted in its place. */
export interface Planting {
  readonly text: string;
  readonly instead: string;
}

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

/** Which code is bundled, and the source files that are replaced. */
export interface Bundle {
  readonly entry: URL;
  /** By path in src: the JavaScript to load instead. */
  readonly replaced: Readonly<Record<string, string>>;
}

/** Loads the parts of one gateway. */
export function loadSystem(plantings: readonly Planting[] = []): Promise<System> {
  return loadBundle<System["parts"], Outside>(
    { entry: new URL("parts.ts", import.meta.url), replaced: REPLACED },
    plantings,
  );
}

/**
 * Loads the source as it stands, but for what is planted in it. Everything that could differ from one
 * run to the next, or reach beyond the process, comes from the world that it is put in.
 * @throws Error where a text to plant in place of does not stand there exactly once.
 */
export async function loadBundle<Parts, World>(
  { entry, replaced: replacements }: Bundle,
  plantings: readonly Planting[],
): Promise<{ readonly parts: Parts; enter(outside: World): void }> {
  const found = plantings.map(() => 0);
  const replaced = new Set<string>();
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node20.19",
    define: { "process.pid": "1" },
    plugins: [source(replacements, { plantings, found, replaced })],
    logLevel: "silent",
  });
  for (const [index, count] of found.entries())
    if (count !== 1)
      throw new Error(
        `This is to stand in src once, and stands there ${count} times; write down what stands there now: ${plantings[index]?.text}`,
      );
  const missing = Object.keys(replacements).filter((name) => !replaced.has(name));
  if (missing.length > 0)
    throw new Error(`These are not part of the source: ${missing.join(", ")}`);
  const [bundle] = outputFiles;
  const world: { outside?: World } = {};
  const module = { exports: {} };
  compileFunction(bundle?.text ?? "", ["world", "module", "require"])(
    world,
    module,
    requireIn(world as { readonly outside?: { randomUUID(): string } }),
  );
  return {
    parts: module.exports as Parts,
    enter: (outside) => {
      world.outside = outside;
    },
  };
}

/** The timers and the clock are those of the simulated world. */
export const REAL_TIME = `
export function setTimeout(act, delayMs) {
  const timer = { id: world.outside.setTimeout(act, delayMs), unref: () => timer };
  return timer;
}
export const clearTimeout = (timer) => world.outside.clear(timer?.id);
export const setImmediate = (act) => world.outside.setImmediate(act);
export const clearImmediate = (timer) => world.outside.clear(timer);
export const wallNowMs = () => world.outside.nowMs();
`;

/** Real time is the world's. Sockets are left out: the lock, and how webhooks leave. */
const REPLACED: Readonly<Record<string, string>> = {
  "platform/real-time.ts": `${REAL_TIME}
export const monotonicNowMs = () => world.outside.nowMs();
`,
  "delivery/sender.ts": "export function Sender() { return world.outside.createSender(); }",
};

function source(
  replacements: Readonly<Record<string, string>>,
  {
    plantings,
    found,
    replaced,
  }: { plantings: readonly Planting[]; found: number[]; replaced: Set<string> },
): Plugin {
  return {
    name: "source",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
        const name = path.relative(SOURCE, file).replaceAll("\\", "/");
        const replacement = replacements[name];
        if (replacement !== undefined) {
          replaced.add(name);
          return { contents: replacement, loader: "js" };
        }
        let contents = await readFile(file, "utf8");
        for (const [index, { text, instead }] of plantings.entries()) {
          const parts = contents.split(text);
          found[index] = (found[index] ?? 0) + parts.length - 1;
          contents = parts.join(instead);
        }
        return { contents, loader: "ts" };
      });
    },
  };
}

function requireIn(world: {
  readonly outside?: { randomUUID(): string };
}): (name: string) => unknown {
  const require = createRequire(import.meta.url);
  const randomUUID = (): string | undefined => world.outside?.randomUUID();
  return (name) => (name === "node:crypto" ? { ...crypto, randomUUID } : require(name));
}
