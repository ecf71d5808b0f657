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

export const reportCommand = defineOwnCommand("report", {
  flags: {
    markdown: flag({
      en: "print Markdown, for a comment of a pull request",
      pt: "imprime Markdown, para um comentário de pull request",
    }),
    questions: flag({
      en: "print the questions for the provider, for an e-mail",
      pt: "imprime as perguntas ao provedor, para um e-mail",
    }),
    junit: word("file", { en: "also write a JUnit file", pt: "também grava um arquivo JUnit" }),
    fail_on: oneOf(FAIL_LEVELS, "level", {
      en: "exit with 8 if a rule has this verdict or a worse one",
      pt: "termina com 8 se uma regra tem este veredito ou um pior",
    }),
    effect: EFFECT,
  },
  async run({ markdown, questions, junit, fail_on, effect }, { io, json, connection }) {
    assertOneFormat({ json, markdown, questions });
    const probe = effect === undefined ? undefined : new EffectProbe(effect, io);
    // JSON is for programs: it does not depend on the language of the command.
    const client = new CommandClient(json ? { ...connection, language: "en" } : connection);
    const language = json ? "en" : coreLanguage();
    const label = localize({
      en: "Waiting for the webhooks that are due",
      pt: "Esperando os webhooks pendentes",
    });
    const review = await withProgress(io, { label, isSilent: json }, () =>
      readReview(client, probe, language),
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
    [
      "report --fail-on error --junit review.xml",
      { en: "for continuous integration", pt: "para integração contínua" },
    ],
    [
      "report --effect 'http://localhost:3000/orders/{description}'",
      {
        en: "sends the newest payments' webhooks again",
        pt: "reenvia os webhooks dos pagamentos mais novos",
      },
    ],
  ],
});

function assertOneFormat(formats: Readonly<Record<string, boolean | undefined>>): void {
  const [one, other] = Object.keys(formats).filter((name) => formats[name]);
  if (other === undefined) return;
  throw usageError(
    localize({
      en: `--${one} and --${other} cannot be combined.`,
      pt: `--${one} e --${other} não podem ser combinados.`,
    }),
    localize({ en: "Run the command once for each.", pt: "Rode o comando uma vez para cada um." }),
  );
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: Error) => {
    throw unwritableFile(
      file,
      error,
      localize({
        en: "Check that its folder exists and is writable, or name another file with --junit.",
        pt: "Confira se a pasta existe e permite gravação, ou informe outro arquivo com --junit.",
      }),
    );
  });
}
