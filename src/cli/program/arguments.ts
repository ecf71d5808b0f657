import type { Command } from "commander";
import type { Io } from "../terminal/io.ts";
import { connectionOptions, langOption } from "../definition/options.ts";

/** The common options with a value. They are accepted before the subcommand too. */
const WITH_VALUE: ReadonlySet<string | undefined> = new Set(
  [...connectionOptions(), langOption()].filter(({ required }) => required).map(({ long }) => long),
);

/** The arguments of the program itself: those after `--` are of another command. */
export function ownArguments(args: readonly string[]): readonly string[] {
  return args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
}

/** The first argument that is neither an option nor the value of one that all commands share. */
export function firstWord(args: readonly string[]): string | undefined {
  return args.find((arg, index) => !arg.startsWith("-") && !WITH_VALUE.has(args[index - 1] ?? ""));
}

/**
 * Rewrites a command line into the form that commander parses: `help payin` as `payin --help`, options before a
 * subcommand behind it, `--` before the command of `exec`, and `--help` beside `--help-all`.
 * @param commands the names of all commands
 */
export async function normalize(
  args: readonly string[],
  io: Io,
  commands: readonly string[],
): Promise<readonly string[]> {
  const normal = await reorder(args, io, commands);
  const place = ownArguments(normal).indexOf("--help-all");
  return place < 0 ? normal : normal.toSpliced(place, 0, "--help");
}

async function reorder(
  args: readonly string[],
  io: Io,
  commands: readonly string[],
): Promise<readonly string[]> {
  const own = ownArguments(args);
  const name = firstWord(own);
  const runner = RUNNERS[name ?? ""];
  if (runner) return own.length < args.length ? args : separateCommand(args, await runner(io));
  const moved = moveBehind(own);
  if (name === "help") {
    const rest = moved.toSpliced(moved.indexOf("help"), 1);
    const about = firstWord(rest);
    // Commander refuses an unknown command, but not beside --help.
    return about === undefined || commands.includes(about) ? [...rest, "--help"] : rest;
  }
  return [...moved, ...args.slice(own.length)];
}

/** Moves the shared options that stand before the second word behind it. */
function moveBehind(own: readonly string[]): string[] {
  const stay: string[] = [];
  const moved: string[] = [];
  let words = 0;
  let index = 0;
  for (; index < own.length && words < 2; index++) {
    const arg = own[index] ?? "";
    if (WITH_VALUE.has(arg)) moved.push(...own.slice(index, ++index + 1));
    else if (arg === "--json" || WITH_VALUE.has(arg.replace(/=.*/s, ""))) moved.push(arg);
    else {
      stay.push(arg);
      if (!arg.startsWith("-")) words++;
    }
  }
  return [...stay, ...moved, ...own.slice(index)];
}

/** The commands that run another command. */
const RUNNERS: Readonly<Record<string, (io: Io) => Promise<Command>>> = {
  exec: async (io) => (await import("../commands/exec.ts")).execCommand(io),
};

/** Inserts `--` before the first argument of `runner` that is neither an option nor the value of one. */
function separateCommand(args: readonly string[], runner: Command): readonly string[] {
  const withValue = new Set(
    runner.options.filter(({ required }) => required).flatMap(({ short, long }) => [short, long]),
  );
  const start = args.indexOf(runner.name()) + 1;
  const place = args.findIndex(
    (arg, index) =>
      index >= start &&
      !arg.startsWith("-") &&
      (index === start || (!withValue.has(args[index - 1]) && args[index - 1] !== "--lang")),
  );
  return place < 0 ? args : args.toSpliced(place, 0, "--");
}
