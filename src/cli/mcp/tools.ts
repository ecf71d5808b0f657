// The tools of a coding agent: each is a command with --json, so that names, arguments and results are the command's.
import { Readable } from "node:stream";
import { Chalk } from "chalk";
import type { Command, Option } from "commander";
import { toSafeJson } from "../../text/plain/safe-text.ts";
import { runCommand } from "../program/main.ts";
import { createFullProgram } from "../program/program.ts";
import { EXIT } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize, type Words } from "../terminal/language.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly hints: Hints;
  readonly parameters: readonly Parameter[];
  /** Runs the command. */
  run(values: Values, caller: Caller, signal: AbortSignal): Promise<Result>;
}

/** Which sandbox the tools act on. */
export type Caller = Pick<Io, "env">;

/** By the names of the tool's parameters. */
export type Values = Readonly<Record<string, unknown>>;

interface Hints {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
}

interface Parameter {
  readonly name: string;
  readonly schema: object;
  readonly isRequired: boolean;
  /** The words of the command line for a value. */
  toWords(value: unknown): readonly string[];
  /** Whether the words stand behind the options. */
  readonly place: "option" | "argument";
}

/** What a command printed. */
interface Result {
  readonly output: string;
  readonly errors: string;
  readonly hasFailed: boolean;
}

const READS: Hints = { readOnlyHint: true };
const ADDS: Hints = { destructiveHint: false };
/** The commands that are tools. */
const TOOLS: Readonly<Record<string, Hints>> = {
  "payin create": ADDS,
  "payin pay": ADDS,
  "payout complete": ADDS,
  trigger: ADDS,
  wait: READS,
  "webhooks list": READS,
  "requests list": READS,
  "faults add": ADDS,
  "clock advance": ADDS,
  decode: READS,
  report: ADDS,
  "check-webhook": ADDS,
  reset: { destructiveHint: true },
};

/** The options that a tool has not: the server of the tools has the connection, a result is JSON, and is for no person. */
const NOT_OF_TOOLS = new Set(
  "url provider-id control-token json lang help qr open markdown questions".split(" "),
);

/** Reads the tools from the definitions of their commands, in English. */
export async function loadTools(): Promise<readonly Tool[]> {
  const program: Command = await createFullProgram("en", capture({ env: {} }).io);
  return Object.entries(TOOLS).map(([line, hints]) => {
    const path = line.split(" ");
    const command = path.reduce((parent, name) => childOf(parent, name), program);
    const token = program.options.filter(({ long }) => long === "--token");
    const parameters = parametersOf(command, token);
    return {
      // The contract's name, from when it had no other command.
      name: line === "requests list" ? "requests" : line.replaceAll(/[ -]/g, "_"),
      description: command.description(),
      hints,
      parameters,
      async run(values, caller, signal) {
        const wordsAt = (place: Parameter["place"]): string[] =>
          parameters
            .filter((parameter) => parameter.place === place && values[parameter.name] != null)
            .flatMap((parameter) => parameter.toWords(values[parameter.name]));
        const { io, printed } = capture(caller, signal);
        const exitCode = await runCommand(
          [...path, "--json", ...wordsAt("option"), "--", ...wordsAt("argument")],
          true,
          io,
        );
        return { ...printed(), hasFailed: exitCode !== EXIT.done };
      },
    };
  });
}

function childOf(parent: Command, name: string): Command {
  const child = parent.commands.find((one) => one.name() === name);
  if (!child) throw new Error(`There is no command ${name}.`);
  return child;
}

/** @param common options of all commands */
function parametersOf(command: Command, common: readonly Option[]): Parameter[] {
  const { registeredArguments } = command;
  const options = command.options.concat(common);
  const names = new Set(options.map((option) => option.name()));
  return [
    ...registeredArguments.map((argument): Parameter => ({
      name: toName(argument.name()),
      place: "argument",
      isRequired: argument.required,
      schema: {
        type: "string",
        description: argument.description,
        ...(argument.argChoices && { enum: argument.argChoices }),
      },
      toWords: textsOf,
    })),
    ...[...names]
      .filter((name) => !NOT_OF_TOOLS.has(name))
      .map((name): Parameter => {
        const option = options.find((one) => one.name() === name) as Option;
        return {
          name: toName(name),
          place: "option",
          isRequired: option.mandatory,
          schema: schemaOf(option),
          toWords: (value) =>
            option.isBoolean()
              ? value === true
                ? [`--${name}`]
                : []
              : textsOf(value).map((text) => `--${name}=${text}`),
        };
      }),
  ];
}

function schemaOf(option: Option): object {
  const { argChoices, defaultValue, defaultValueDescription } = option;
  const standard = defaultValueDescription ?? defaultValue;
  const isShown = typeof standard === "string" || typeof standard === "number";
  const description = `${option.description}${isShown ? ` (default: ${standard})` : ""}`;
  if (option.isBoolean()) return { type: "boolean", description };
  if (option.description.endsWith("; repeatable"))
    return { type: "array", items: { type: "string" }, description };
  const type = /<(?:number|seconds)>$/.test(option.flags) ? "number" : "string";
  return { type, description, ...(argChoices && { enum: argChoices }) };
}

function toName(text: string): string {
  return text.replaceAll(/[ -]/g, "_");
}

/** A value's texts: a number is as good as its text. */
function textsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map((one) =>
    typeof one === "object" ? JSON.stringify(one) : String(one),
  );
}

/** Collects what a command prints. An abort is its Ctrl-C. */
function capture(
  { env }: Caller,
  signal?: AbortSignal,
): { readonly io: Io; readonly printed: () => Omit<Result, "hasFailed"> } {
  const [output, errors]: [string[], string[]] = [[], []];
  const print = (text: Words): void => void output.push(localize(text));
  const printError = (text: Words): void => void errors.push(localize(text));
  const plain = new Chalk({ level: 0 });
  const io: Io = {
    env,
    cwd: process.cwd(),
    stdin: Readable.from([]),
    print,
    printJson: (value) => print(toSafeJson(value)),
    printError,
    showStatus: () => undefined,
    log: (stream, text) => (stream === "stdout" ? print(text) : printError(text)),
    isTerminal: false,
    color: plain,
    errorColor: plain,
    unread: new AbortController().signal,
    onSignal(handler) {
      const stop = (): void => handler("SIGINT");
      signal?.addEventListener("abort", stop, { once: true });
      return () => signal?.removeEventListener("abort", stop);
    },
  };
  return { io, printed: () => ({ output: output.join("\n"), errors: errors.join("\n") }) };
}
