import { writeFile } from "node:fs/promises";
import { readReview } from "../../client/review.ts";
import { toJunit } from "../../review/junit.ts";
import { toMarkdown } from "../../review/markdown.ts";
import { CommandClient } from "../client/command-client.ts";
import { defineOwnCommand } from "../definition/define-command.ts";
import { EXIT, ExitCode, unwritableFile, usageError } from "../terminal/errors.ts";
import { pathIn } from "../terminal/io.ts";
import { coreLanguage, localize } from "../terminal/language.ts";
import { flag, oneOf, word } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { EffectProbe, EFFECT } from "../review/effect.ts";
import { FAIL_LEVELS, failsOn, renderQuestions, renderReview } from "../review/render-review.ts";
import { say } from "../../text/message.ts";

export const reportCommand = defineOwnCommand("report", {
  flags: {
    markdown: flag(say`print Markdown, for a comment of a pull request`),
    questions: flag(say`print the questions for the provider, for an e-mail`),
    junit: word("file", say`also write a JUnit file`),
    fail_on: oneOf(
      FAIL_LEVELS,
      "level",
      say`exit with 8 if a rule has this verdict or a worse one`,
    ),
    wait: flag(say`wait until nothing is pending`),
    effect: EFFECT,
  },
  async run({ markdown, questions, junit, fail_on, wait, effect }, { io, json, connection }) {
    assertOneFormat({ json, markdown, questions });
    const probe = effect === undefined ? undefined : new EffectProbe(effect, io);
    // JSON is for programs: it does not depend on the language of the command.
    const client = new CommandClient(json ? { ...connection, language: "en" } : connection);
    const language = json ? "en" : coreLanguage();
    const label = localize(say`Waiting for the webhooks that are due`);
    const review = await withProgress(io, { label, isSilent: json }, () =>
      readReview(client, { effect: probe, language, isAwaited: wait === true }),
    );
    if (json) io.printJson(review);
    else if (markdown) io.print(toMarkdown(review, language));
    else if (questions) io.print(renderQuestions(review));
    else io.print(renderReview(review, { color: io.color, columns: io.columns, url: client.url }));
    if (junit !== undefined) await write(pathIn(io, junit), toJunit(review));
    if (fail_on && failsOn(review, fail_on)) throw new ExitCode(EXIT.checkFailed);
  },
  examples: [
    "report",
    ["report --fail-on error --junit review.xml", say`for continuous integration`],
    [
      "report --effect 'http://localhost:3000/orders/{description}'",
      say`sends the newest payments' webhooks again`,
    ],
  ],
});

function assertOneFormat(formats: Readonly<Record<string, boolean | undefined>>): void {
  const [one, other] = Object.keys(formats).filter((name) => formats[name]);
  if (other === undefined) return;
  throw usageError(
    localize(say`--${one ?? ""} and --${other} cannot be combined.`),
    localize(say`Run the command once for each.`),
  );
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: Error) => {
    throw unwritableFile(
      file,
      error,
      localize(
        say`Check that its folder exists and is writable, or name another file with --junit.`,
      ),
    );
  });
}
