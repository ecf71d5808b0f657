import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));
/** The rooms from the lowest: a room imports from lower lines only, not from those beside it. */
const LINES = [
  ["text"],
  ["wire"],
  ["core"],
  ["review", "webhook-diagnosis"],
  ["http", "inspector", "delivery", "store", "fidelity"],
  ["server"],
  ["client"],
  ["demo", "play"],
  ["test-frameworks", "cli"],
];
/** What only the server connects. */
const BEHIND_SERVER = ["http", "inspector", "delivery", "store"];
/** Rooms without Node, packages, time or chance. */
const PURE = ["text", "wire", "core"];
/** Folders that import each other, each for the reason in docs/architecture.md. */
const PAIRS = ["core/faults and core/records"];
const MAX_LOOSE = 6;
/** The types of the routes, which any room may import: they are nothing when the program runs. */
const TYPES = /^import type \{[^}]*\} from "[^"]*\/http\/routes\/table\.ts";$/gm;

interface Import {
  readonly from: string;
  /** A path below `src`, or the name of a package. */
  readonly to: string;
  readonly isOwn: boolean;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.(?:tsx?|js|css|html)$/.test(name));
const imports = files.filter((name) => /\.(?:tsx?|js)$/.test(name)).flatMap(importsOf);

describe("the rooms of the source", () => {
  it("import from lower rooms only", () => {
    const wrong = imports.filter(({ from, to, isOwn }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      if (!isOwn || room === undefined || room === other) return false;
      if (other === "platform") return PURE.includes(room);
      if (room === "platform" || lineOf(other) >= lineOf(room)) return true;
      return (
        lineOf(room) > lineOf("server") && other !== undefined && BEHIND_SERVER.includes(other)
      );
    });
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("are pure below the reviewer", () => {
    const wrong = imports.filter(({ from, isOwn }) => !isOwn && PURE.includes(roomOf(from) ?? ""));
    expect(wrong).toEqual([]);
  });

  it("have no folders that import each other, but for two pairs in the core", () => {
    const between = new Set(
      imports
        .filter(({ isOwn }) => isOwn)
        .map(({ from, to }) => `${path.dirname(from)} and ${path.dirname(to)}`),
    );
    const mutual = [...between].filter((pair) => {
      const [one = "", other = ""] = pair.split(" and ");
      return one < other && between.has(`${other} and ${one}`);
    });
    expect(mutual.toSorted()).toEqual(PAIRS);
  });

  it(`have at most ${MAX_LOOSE} loose files in a folder with folders`, () => {
    const loose = new Map<string, number>();
    for (const file of files)
      loose.set(path.dirname(file), (loose.get(path.dirname(file)) ?? 0) + 1);
    const crowded = [...loose].filter(
      ([folder, count]) =>
        count > MAX_LOOSE && [...loose.keys()].some((other) => path.dirname(other) === folder),
    );
    expect(crowded).toEqual([]);
  });
});

/** What a file imports, types too, but for those of the routes. */
function importsOf(from: string): Import[] {
  const text = readFileSync(path.join(SOURCE, from), "utf8").replaceAll(TYPES, "");
  const found = text.matchAll(
    /^(?:(?:import|export|\}).* from|import) "([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...found].map(([, named, loaded]) => {
    const name = named ?? loaded ?? "";
    const isOwn = name.startsWith(".");
    return { from, isOwn, to: isOwn ? path.posix.join(path.dirname(from), name) : name };
  });
}

/** The room of a file; undefined for the package's entry. */
function roomOf(file: string): string | undefined {
  return file.includes("/") ? file.split("/")[0] : undefined;
}

function lineOf(room: string | undefined): number {
  return LINES.findIndex((line) => line.includes(room ?? ""));
}
