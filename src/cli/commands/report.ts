import { writeFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { readReview } from "../../client/review.ts";
import { toJunit } from "../../review/junit.ts";
import { toMarkdown } from "../../review/markdown.ts";
import type { ClientOptions } from "../command-client.ts";
import { EXIT, ExitCode, unwritableFile, usageError } from "../errors.ts";
import { type Io, pathIn } from "../io.ts";
import { coreLanguage, localize } from "../language.ts";
import { clientCommand, clientFor, someText, withExamples } from "../options.ts";
import { arg } from "../placeholders.ts";
import { withProgress } from "../progress.ts";
import { EffectProbe, effectOption } from "../review/effect.ts";
import {
  FAIL_LEVELS,
  type FailLevel,
  failsOn,
  renderQuestions,
  renderReview,
} from "../review/render-review.ts";

interface ReportOptions extends ClientOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly questions?: boolean;
  readonly junit?: string;
  readonly failOn?: FailLevel;
  readonly effect?: string;
}

export function reportCommand(io: Io): Command {
  const command = clientCommand("report")
    .option(
      "--markdown",
      localize({
        en: "print Markdown, for a comment of a pull request",
        pt: "imprime Markdown, para um comentário de pull request",
      }),
    )
    .option(
      "--questions",
      localize({
        en: "print the questions for the provider, for an e-mail",
        pt: "imprime as perguntas ao provedor, para um e-mail",
      }),
    )
    .addOption(
      new Option(
        `--junit ${arg("file")}`,
        localize({ en: "also write a JUnit file", pt: "também grava um arquivo JUnit" }),
      ).argParser(someText),
    )
    .addOption(
      new Option(
        `--fail-on ${arg("level")}`,
        localize({
          en: "exit with 8 if a rule has this verdict or a worse one",
          pt: "termina com 8 se uma regra tem este veredito ou um pior",
        }),
      ).choices(FAIL_LEVELS),
    )
    .addOption(effectOption())
    .action(async (options: ReportOptions) => report(options, io));
  return withExamples(command, [
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
  ]);
}

async function report(options: ReportOptions, io: Io): Promise<void> {
  const { json, markdown, questions, junit, failOn, effect } = options;
  assertOneFormat({ json, markdown, questions });
  const probe = effect === undefined ? undefined : new EffectProbe(effect, io);
  // JSON is for programs: it does not depend on the language of the command.
  const client = clientFor(json ? { ...options, language: "en" } : options);
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
  if (failOn && failsOn(review, failOn)) throw new ExitCode(EXIT.checkFailed);
}

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
