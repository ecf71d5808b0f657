import { existsSync } from "node:fs";
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
  const url = folderInPackage("bin/pix-sandbox.js");
  const file = url && fileURLToPath(url);
  const isOwnProject = file !== undefined && path.join(file, "../..") === folder;
  const isFound = isOwnProject || isInstalledFor(folder);
  // Deno looks in the registry even for a package that is installed.
  if (deno === undefined && isFound)
    return bun === undefined ? "npx pix-sandbox" : "bunx pix-sandbox";
  if (file === undefined) return "npx --no pix-sandbox";
  const runtime = deno === undefined ? (bun === undefined ? "node" : "bun") : "deno run -A";
  return `${runtime} ${shortened(file, folder)}`;
}

/** Whether npx finds the package in `node_modules` of the folder or of one above it. */
function isInstalledFor(folder: string): boolean {
  const parent = path.dirname(folder);
  const isHere = existsSync(path.join(folder, "node_modules", "pix-sandbox"));
  return isHere || (parent !== folder && isInstalledFor(parent));
}

/** A file as one word of a shell, relative to the folder if that is shorter. */
function shortened(file: string, folder: string): string {
  const relative = path.relative(folder, file);
  const shorter = relative.length < file.length ? relative : file;
  return /^[\w@%+=:,./\\-]+$/.test(shorter) ? shorter : `"${shorter}"`;
}
