import { Command } from "commander";
import type { ClientOptions } from "../client.ts";
import { readDurationMs } from "../duration.ts";
import type { Io } from "../io.ts";
import { addDefault, clientCommand, clientFor, withExamples } from "../options.ts";
import { renderClock, type WireClock } from "../render.ts";

type Options = ClientOptions & { readonly json?: boolean };

export function clockCommand(io: Io): Command {
  const show = async (
    { json, ...options }: Options,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<void> => {
    const clock = await clientFor(options).control<WireClock>(method, `/clock${path}`, body);
    if (json) io.printJson(clock);
    else io.print(renderClock(clock, io.colour));
  };
  const showing = clientCommand("show")
    .description("what time it is there")
    .action((options: Options) => show(options, "GET", ""));
  const advance = clientCommand("advance")
    .description("move time forward; ends when all that fell due has happened")
    .argument("<duration>", "like 500ms, 30s, 5m, 2h or 1d")
    .action((duration: string, options: Options) =>
      show(options, "POST", "/advance", { seconds: readDurationMs(duration) / 1000 }),
    );
  const set = clientCommand("set")
    .description("move time forward to an instant")
    .argument("<time>", "ISO 8601, like 2026-11-21T12:00:00Z")
    .action((now: string, options: Options) => show(options, "POST", "/set", { now }));
  const freeze = clientCommand("freeze")
    .description("let time stand still")
    .action((options: Options) => show(options, "POST", "/freeze"));
  const resume = clientCommand("resume")
    .description("let time go on from where it stands")
    .action((options: Options) => show(options, "POST", "/resume"));
  withExamples(showing, ["clock show", "clock show --json"]);
  const command = addDefault(new Command("clock"), showing)
    .description("show and move the sandbox's time")
    .addCommand(withExamples(advance, ["clock advance 5m"]))
    .addCommand(withExamples(set, ["clock set 2026-12-24T18:00:00-03:00"]))
    .addCommand(withExamples(freeze, ["clock freeze"]))
    .addCommand(withExamples(resume, ["clock resume"]));
  return withExamples(command, [
    "clock",
    "clock advance 5m",
    "clock freeze",
    "clock set 2026-12-24T18:00:00-03:00",
  ]);
}
