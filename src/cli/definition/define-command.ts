import type { Command } from "commander";
import type { AnswerOf, RouteKey, ValuesOf } from "../../http/routes/table.ts";
import { closest } from "../../text/suggestion.ts";
import { CliCommand } from "./command.ts";
import { usageError } from "../terminal/errors.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type ClientOptions, commandClient } from "../client/command-client.ts";
import type { Calls } from "../../client/calls.ts";
import type { Example } from "./help.ts";
import type { Io } from "../terminal/io.ts";
import { localize, type Words } from "../terminal/language.ts";
import { withExamples } from "./options.ts";
import {
  flagOf,
  type Given,
  type Parameter,
  type Parameters,
  toArgument,
  toOption,
} from "./parameters.ts";
import { resolveId } from "./resolve-id.ts";
import { type Message, say } from "../../text/message.ts";

/** Builds a command in the current language. */
export type CommandBuilder = (io: Io) => Command;

/** One call of a command. */
export interface Run {
  readonly io: Io;
  readonly json: boolean;
  readonly connection: ClientOptions;
  readonly client: Calls;
  readonly command: CliCommand;
}

interface Described<Arguments, Flags> {
  /** Absent for a top-level command: the table of commands has it. */
  readonly summary?: Message;
  readonly arguments?: Arguments;
  /** By the names of the request's values, if they have one. */
  readonly flags?: Flags;
  readonly examples: readonly Example[];
}

/** How a command shows a response; with `--json` it prints it. */
interface Shown<Arguments, Flags, Response> {
  /** Prints the response, or returns the text to print. */
  readonly show: (
    response: Response,
    run: Run,
    given: Given<Arguments, Flags>,
  ) => Words | void | Promise<void>;
}

/** A command that calls a route. */
interface RouteCommand<Arguments, Flags, Key extends RouteKey> extends Shown<
  Arguments,
  Flags,
  AnswerOf<Key>
> {
  readonly route: Key;
  /** Calls the route, for example with a progress line or another error. */
  readonly around?: (
    send: () => Promise<AnswerOf<Key>>,
    run: Run,
    given: Given<Arguments, Flags>,
  ) => Promise<AnswerOf<Key>>;
}

/** A command that finds by itself what it shows. */
interface LoadingCommand<Arguments, Flags, Response> extends Shown<Arguments, Flags, Response> {
  readonly isLocal?: boolean;
  readonly load: (given: Given<Arguments, Flags>, run: Run) => Response | Promise<Response>;
}

/** How the arguments and flags fill the request. Not needed if each has the name of a value in it. */
type Filling<Arguments, Flags, Key extends RouteKey> = {
  readonly request: (given: Given<Arguments, Flags>, run: Run) => ValuesOf<Key>;
};

/** A command that does more than to call a route. */
interface OwnCommand<Arguments, Flags> {
  /** Whether it needs no sandbox: it has no connection options. */
  readonly isLocal?: boolean;
  /** Checks what was given, before ids are looked up. */
  readonly check?: (given: Given<Arguments, Flags>) => void;
  readonly run: (given: Given<Arguments, Flags>, run: Run) => unknown;
}

/** No arguments, or no options. */
export type None = Readonly<Record<never, Parameter>>;

/** Defines a command by a route: how its arguments and flags fill the request, and how the response is shown. */
export function defineCommand<
  const Key extends RouteKey,
  const Arguments extends Parameters = None,
  const Flags extends Parameters = None,
>(
  line: string,
  definition: Described<Arguments, Flags> &
    RouteCommand<Arguments, Flags, Key> &
    ([keyof Arguments | keyof Flags] extends [keyof ValuesOf<Key>]
      ? Partial<Filling<Arguments, Flags, Key>>
      : Filling<Arguments, Flags, Key>),
): CommandBuilder {
  const { route, around, show } = definition;
  const { request } = definition as Partial<Filling<Arguments, Flags, Key>>;
  return defineLoading(line, {
    ...(definition as Described<Arguments, Flags>),
    load(given, run) {
      const values = request ? request(given, run) : (given as ValuesOf<Key>);
      const send = (): Promise<AnswerOf<Key>> => run.client.call(route, values);
      return around ? around(send, run, given) : send();
    },
    show,
  });
}

/** Defines a command by the code that finds a document, and how it is shown. */
export function defineLoading<
  Response,
  const Arguments extends Parameters = None,
  const Flags extends Parameters = None,
>(
  line: string,
  definition: Described<Arguments, Flags> & LoadingCommand<Arguments, Flags, Response>,
): CommandBuilder {
  const { load, show } = definition;
  return defineOwnCommand(line, {
    ...(definition as Described<Arguments, Flags>),
    async run(given, run) {
      const response = await load(given, run);
      if (run.json) return run.io.printJson(response);
      const shown = await show(response, run, given);
      if (shown !== undefined) run.io.print(shown);
    },
  });
}

/** Defines a command that has code of its own. */
export function defineOwnCommand<
  const Arguments extends Parameters = None,
  const Flags extends Parameters = None,
>(
  line: string,
  definition: Described<Arguments, Flags> & OwnCommand<Arguments, Flags>,
): CommandBuilder {
  const { summary, arguments: positional, flags, examples, isLocal = false } = definition;
  const { check, run } = definition;
  const named = Object.entries(positional ?? {});
  const options = Object.entries(flags ?? {});
  return (io) => {
    const command = new CliCommand(line.slice(line.lastIndexOf(" ") + 1));
    if (summary) command.description(localize(summary));
    for (const [, parameter] of named) command.addArgument(toArgument(parameter));
    for (const [name, parameter] of options) command.addOption(toOption(name, parameter));
    command.needsSandbox = !isLocal;
    command.action(async () => {
      const found: Record<string, unknown> = command.optsWithGlobals();
      const { json = false, ...connection } = found as ClientOptions & { json?: boolean };
      const called = new CalledCommand(command, io, json, connection);
      const given: Record<string, unknown> = {};
      for (const [index, [name]] of named.entries())
        given[name] = command.processedArgs[index] as unknown;
      for (const [name, parameter] of options)
        given[name] = found[toAttribute(flagOf(name, parameter))];
      check?.(given as Given<Arguments, Flags>);
      for (const [name, { names }] of [...named, ...options])
        if (names && given[name] !== undefined)
          given[name] = await resolveId(called.client, names, given[name] as string);
      await run(given as Given<Arguments, Flags>, called);
    });
    return withExamples(command, examples);
  };
}

/** Defines a command with subcommands. */
export function defineGroup(
  name: string,
  examples: readonly Example[],
  commands: readonly CommandBuilder[],
  {
    isFirstDefault = false,
  }: {
    /** Whether the first subcommand runs if none is named. */
    readonly isFirstDefault?: boolean;
  } = {},
): CommandBuilder {
  return (io) => {
    const group = new CliCommand(name);
    for (const [index, build] of commands.entries()) {
      const isDefault = isFirstDefault && index === 0;
      const command = build(io);
      group.addCommand(command, { isDefault });
      if (isDefault) refuseWords(group, command);
    }
    return withExamples(group, examples);
  };
}

/** Lets a default subcommand explain a word that is no subcommand. */
function refuseWords(group: Command, command: Command): void {
  // Set late, because the settings inherited from the program overwrite it.
  group.hook("preSubcommand", () => void command.allowExcessArguments());
  command.hook("preAction", () => {
    const [word] = command.args;
    if (word === undefined) return;
    const all = group.commands.map((one) => one.name());
    const meant = closest(word, all);
    if (meant !== undefined)
      throw usageError(
        say`Unknown command ${JSON.stringify(word)} of "${group.name()}". Did you mean "${meant}"?`,
      );
    const names = all.join(", ");
    throw usageError(
      say`Unknown command ${JSON.stringify(word)} of "${group.name()}".`,
      say`Use one of ${names}. See "${PROGRAM} ${group.name()} --help".`,
    );
  });
}

class CalledCommand implements Run {
  readonly io: Io;
  readonly json: boolean;
  readonly connection: ClientOptions;
  readonly command: CliCommand;
  #client: Calls | undefined;

  constructor(command: CliCommand, io: Io, json: boolean, connection: ClientOptions) {
    this.io = io;
    this.json = json;
    this.connection = connection;
    this.command = command;
  }

  /** Created at its first use, which checks the address. */
  get client(): Calls {
    return (this.#client ??= commandClient(this.connection));
  }
}

/** Commander's name of an option's value. */
export function toAttribute(flag: string): string {
  return flag.replace(/[-_]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
