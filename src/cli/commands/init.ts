import { toSafeLine } from "../../text/plain/safe-text.ts";
import { VERSION } from "../../wire/names.ts";
import { PROGRAM } from "../../platform/program.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import { usageError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { foldText } from "../terminal/table.ts";
import { flag } from "../definition/parameters.ts";
import { planSetup } from "../set-up/project-setup.ts";
import { applyStep, type Step } from "../set-up/steps.ts";
import { canAsk, Questions } from "../terminal/questions.ts";
import { CONFIG_FILE } from "../serving/config-file.ts";
import { say } from "../../text/message.ts";

const JUDGED = "exec --report --fail-on error --";

/** What `init` did with a file. */
interface Done extends Step {
  readonly action: "created" | "changed" | "unchanged" | "skipped";
}

export const initCommand = defineOwnCommand("init", {
  isLocal: true,
  flags: {
    yes: flag(say`take each step without a question`, { short: "y" }),
  },
  run: ({ yes = false }, run) => init(yes, run),
  examples: ["init", "init --yes"],
});

async function init(yes: boolean, { io, json }: Run): Promise<void> {
  if (!yes && (json || !canAsk(io))) throw cannotAsk(json);
  const { steps, needsPackage, testCommand } = await planSetup(io.cwd, CONFIG_FILE);
  await using questions = new Questions(io);
  const done: Done[] = [];
  for (const step of steps) {
    const isWanted = step.text !== undefined && (yes || (await questions.confirm(ask(step))));
    if (isWanted) await applyStep(io.cwd, step);
    done.push({ ...step, action: actionOf(step, isWanted) });
    if (!json) io.print(render(done.slice(-1), io));
  }
  const install = needsPackage ? [`npm install --save-dev ./pix-sandbox-${VERSION}.tgz`] : [];
  const program = needsPackage ? "npx pix-sandbox" : PROGRAM;
  const test = testCommand === undefined ? [] : [`${program} ${JUDGED} ${testCommand}`];
  const next = [...install, ...test, `${program} serve`];
  if (json) {
    const files = done.map(({ file, action, add = null }) => ({ file, action, add }));
    io.printJson({ files, next });
  } else {
    io.print(say`\nNext:`);
    if (needsPackage) io.print(say`  # the package's tarball, from npm pack:`);
    for (const line of next) io.print(`  ${line}`);
  }
}

function actionOf({ text, isAddition }: Step, isWanted: boolean): Done["action"] {
  if (text === undefined) return "unchanged";
  if (!isWanted) return "skipped";
  return isAddition ? "changed" : "created";
}

function ask({ file, text = "", isAddition }: Step): string {
  return isAddition
    ? localize(say`Add ${text.trim()} to ${file}?`)
    : localize(say`Create ${file}?`);
}

function render(done: readonly Done[], io: Io): string {
  const verbs = {
    created: localize(say`created`),
    changed: localize(say`changed`),
    unchanged: localize(say`unchanged`),
    skipped: localize(say`skipped`),
  };
  const width = Math.max(...Object.values(verbs).map(({ length }) => length));
  return done
    .flatMap(({ file, action, add, about = [] }) => [
      `${io.color.bold(verbs[action].padEnd(width))}  ${toSafeLine(file)}`,
      ...(action === "created" ? about : []).map((line) =>
        foldText(`${" ".repeat(width)}    ${localize(line)}`, io.columns),
      ),
      ...(add === undefined
        ? []
        : [
            `${" ".repeat(width)}  ${localize(say`It exists. Add this to it:`)}`,
            ...add.split(", ").map((line) => `${" ".repeat(width)}    ${line}`),
          ]),
    ])
    .join("\n");
}

function cannotAsk(json: boolean): Error {
  return usageError(
    json
      ? say`With --json, init cannot ask before each step.`
      : say`init asks before each step, but there is no terminal.`,
    say`Take all steps with: ${PROGRAM} init --yes`,
  );
}
