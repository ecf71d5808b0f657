import path from "node:path";

/**
 * The words by which a shell starts this program, for the commands that it prints. They are `pix-sandbox` if a shell
 * found the program by that name: a global install. In all other cases (npx, npm's scripts, a test suite, `node` with
 * the file's path) no shell finds it, but npx does, in the same folder and in a second terminal. Where Bun or Deno runs
 * it, there may be no npx.
 */
export const PROGRAM =
  isGlobal(process.argv[1] ?? "") && process.env["npm_config_user_agent"] === undefined
    ? "pix-sandbox"
    : startedBy(process.versions);

function startedBy({ bun, deno }: NodeJS.ProcessVersions): string {
  if (bun !== undefined) return "bunx pix-sandbox";
  return deno === undefined ? "npx pix-sandbox" : "deno run -A npm:pix-sandbox";
}

/** Whether a program's path is not the one that npm creates for the packages of a project. */
function isGlobal(file: string): boolean {
  return path.basename(file) === "pix-sandbox" && path.basename(path.dirname(file)) !== ".bin";
}
