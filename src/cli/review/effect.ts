import { spawn } from "node:child_process";
import { LocalizedError } from "../../core/errors.ts";
import { toSafeLine } from "../../core/safe-text.ts";
import { CliError, EXIT, usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { resolveTemplate, type Script } from "./effect-template.ts";

/** The effect of a record cannot be read: no rule can be judged by it. */
export class EffectError extends LocalizedError {
  override readonly name = "EffectError";
}

type EffectIo = Pick<Io, "cwd" | "env"> & Partial<Pick<Io, "onSignal">>;

/** How long one read of an effect may take. */
const LIMIT_MS = 10_000;
/** The largest output that is compared. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** How much of a failed command's error output a message shows. */
const SHOWN_CHARACTERS = 200;

/**
 * Reads what a merchant did about a record with a shell command, such as
 * `curl -s localhost:3000/orders/{description}`. Its output is the effect.
 */
export class EffectProbe {
  readonly #template: string;
  readonly #io: EffectIo;
  readonly #limitMs: number;

  /** @throws CliError if the template is empty. */
  constructor(template: string, io: EffectIo, limitMs = LIMIT_MS) {
    if (template.trim() === "")
      throw usageError(
        localize({ en: "The effect's command is empty.", pt: "O comando do efeito está vazio." }),
        localize({
          en: "Pass a command that prints what the merchant did, such as: --effect 'curl -s localhost:3000/orders/{description}'",
          pt: "Passe um comando que imprima o que o lojista fez, como: --effect 'curl -s localhost:3000/orders/{description}'",
        }),
      );
    this.#template = template;
    this.#io = io;
    this.#limitMs = limitMs;
  }

  /** The command line that reads the effect of a record, for a person to copy. */
  commandFor(record: Readonly<Record<string, unknown>>): string {
    return resolveTemplate(this.#template, record).shown;
  }

  /**
   * Runs the command for a record with its names of the wire.
   * @returns the output without the white space at its end.
   * @throws EffectError if the command fails, prints too much or takes too long; CliError if the record lacks a
   * placeholder's member.
   */
  async read(record: Readonly<Record<string, unknown>>): Promise<string> {
    return this.#run(resolveTemplate(this.#template, record));
  }

  #run({ text, variables, shown }: Script): Promise<string> {
    const hasGroups = process.platform !== "win32";
    const child = spawn("sh", ["-c", text], {
      cwd: this.#io.cwd,
      env: { ...this.#io.env, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
      detached: hasGroups,
    });
    const end = (): void => {
      try {
        if (hasGroups && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
        else child.kill("SIGKILL");
      } catch {
        // All of its processes have exited.
      }
    };
    process.once("exit", end);
    let stopListening: (() => void) | undefined;
    return new Promise<string>((resolve, reject) => {
      const output: Buffer[] = [];
      let size = 0;
      let errors = "";
      const fail = (reason: { en: string; pt: string }): void => {
        end();
        const command = toSafeLine(shown);
        reject(
          new EffectError({
            en: `The effect's command ${reason.en}: ${command}`,
            pt: `O comando do efeito ${reason.pt}: ${command}`,
          }),
        );
      };
      const seconds = this.#limitMs / 1000;
      const timer = setTimeout(
        () => fail({ en: `took more than ${seconds} s`, pt: `demorou mais de ${seconds} s` }),
        this.#limitMs,
      );
      child.stdout.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_OUTPUT_BYTES)
          fail({ en: "printed more than 1 MB", pt: "imprimiu mais de 1 MB" });
        else output.push(chunk);
      });
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
        errors = (errors + chunk).slice(0, SHOWN_CHARACTERS);
      });
      // The command has its own group, which a terminal's Ctrl-C does not reach.
      stopListening = this.#io.onSignal?.(() => {
        end();
        reject(interrupted());
      });
      child.once("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(error.code === "ENOENT" ? noShell() : error);
      });
      child.once("close", (code, signal) => {
        clearTimeout(timer);
        const details = errors.trim() && ` (${toSafeLine(errors.trim())})`;
        if (code === 0) resolve(Buffer.concat(output).toString("utf8").trimEnd());
        else
          fail({
            en: `ended with ${code ?? signal}${details}`,
            pt: `terminou com ${code ?? signal}${details}`,
          });
      });
    }).finally(() => {
      process.off("exit", end);
      stopListening?.();
    });
  }
}

function interrupted(): CliError {
  return new CliError(
    EXIT.interrupted,
    "INTERRUPTED",
    localize({
      en: "The effect's command was interrupted.",
      pt: "O comando do efeito foi interrompido.",
    }),
  );
}

function noShell(): CliError {
  return new CliError(
    EXIT.unexpected,
    "NO_SHELL",
    localize({
      en: "The effect's command needs the shell sh, which was not found.",
      pt: "O comando do efeito precisa do shell sh, que não foi encontrado.",
    }),
    localize({
      en: "Check the working directory and PATH. On Windows, run pix-sandbox in Git Bash or WSL.",
      pt: "Confira o diretório atual e o PATH. No Windows, rode o pix-sandbox no Git Bash ou no WSL.",
    }),
  );
}
