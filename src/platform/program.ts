import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { folderInPackage } from "./folders.ts";

/**
 * The words by which a shell starts this program, for the commands that it prints: `pix-sandbox` if a shell found it by
 * that name (a global install), `npx pix-sandbox` if npx finds it in the working folder, else the program's file. They
 * never make npx fetch a package of that name from a registry.
 */
export const PROGRAM = isGlobal(process.argv[1] ?? "") ? "pix-sandbox" : wordsIn(process.cwd());

/** Matches the words of any process's {@link PROGRAM} before the name of a command. */
export const ANY_PROGRAM =
  /(?:(?:npx (?:--no )?|bunx )?pix-sandbox|(?:node|bun|deno run -A) (?:"[^"]*"|\S*pix-sandbox\.js))(?= )/;

/** Whether a program's path is not the one that npm creates for the packages of a project. */
function isGlobal(file: string): boolean {
  return path.basename(file) === "pix-sandbox" && path.basename(path.dirname(file)) !== ".bin";
}

function wordsIn(folder: string): string {
  const { bun, deno } = process.versions;
  const file = folderInPackage("bin/pix-sandbox.js");
  const isFound = isFoundIn(folder);
  // Deno looks in the registry even for a package that is installed.
  if (deno === undefined && isFound)
    return bun === undefined ? "npx pix-sandbox" : "bunx pix-sandbox";
  if (file === undefined) return "npx --no pix-sandbox";
  const runtime = deno === undefined ? (bun === undefined ? "node" : "bun") : "deno run -A";
  return `${runtime} ${shortened(fileURLToPath(file), folder)}`;
}

/** Whether npx finds the package: in `node_modules` of the folder or of one above it, or as the project itself. */
function isFoundIn(folder: string): boolean {
  let isInProject = true;
  for (let place = folder; ; place = path.dirname(place)) {
    if (existsSync(path.join(place, "node_modules", "pix-sandbox"))) return true;
    const manifest = path.join(place, "package.json");
    if (isInProject && existsSync(manifest)) {
      if (readName(manifest) === "pix-sandbox") return true;
      isInProject = false;
    }
    if (place === path.dirname(place)) return false;
  }
}

function readName(manifest: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifest, "utf8")) as { name?: unknown }).name;
  } catch {
    return undefined;
  }
}

/** A file as one word of a shell, relative to the folder if that is shorter. */
function shortened(file: string, folder: string): string {
  const relative = path.relative(folder, file);
  const shorter = relative.length < file.length ? relative : file;
  return /^[\w@%+=:,./\\-]+$/.test(shorter) ? shorter : `"${shorter}"`;
}
