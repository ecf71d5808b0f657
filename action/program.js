// What both steps of the action share: the program, and the files through which they talk to the runner.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The project's own program, else that of the action's repository if it is built; undefined if there is neither. */
export function findCommand() {
  const places = [path.join("node_modules", "pix-sandbox"), OWN_FOLDER];
  const folder = places.find((place) => existsSync(path.join(place, "dist")));
  return folder && [process.execPath, path.join(folder, "bin", "pix-sandbox.js")];
}

const OWN_FOLDER = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command of the program to its end, for all integrations: the steps choose their own. */
export function run([program, ...before], args) {
  const env = { ...process.env, PIX_SANDBOX_TOKEN: "" };
  return spawnSync(program, [...before, ...args], { encoding: "utf8", env });
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
