// What both steps of the action share: the program, and the files through which they talk to the runner.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** The project's own program where it has one; else the version that the workflow names. */
export function commandOf(version) {
  const folder = path.join("node_modules", "pix-sandbox");
  if (!existsSync(folder)) return ["npx", "--yes", `pix-sandbox@${version}`];
  const { bin } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  return [process.execPath, path.join(folder, bin["pix-sandbox"])];
}

/** Runs a command of the program to its end, for all integrations: the steps choose their own. */
export function run([program, ...before], args) {
  const env = { ...process.env, PIX_SANDBOX_TOKEN: "" };
  return spawnSync(program, [...before, ...args], {
    encoding: "utf8",
    env,
    shell: program === "npx",
  });
}

/** Appends to a file of the runner, such as GITHUB_ENV. */
export function tell(name, text) {
  const file = process.env[name];
  if (file) appendFileSync(file, text.endsWith("\n") ? text : `${text}\n`);
}

/** Prints a command of the runner, such as an annotation of the run. */
export function annotate(level, title, text) {
  process.stdout.write(`::${level} title=${escape(title, ":,")}::${escape(text, "")}\n`);
}

/** As the runner reads it: every text comes from outside. */
function escape(text, more) {
  return `%\r\n${more}`
    .split("")
    .reduce(
      (escaped, sign) =>
        escaped.replaceAll(
          sign,
          `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
        ),
      text,
    );
}
