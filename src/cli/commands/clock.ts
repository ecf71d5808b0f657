import type { Command } from "commander";
import type { ClientOptions } from "../command-client.ts";
import { readDurationMs } from "../duration.ts";
import type { Io } from "../io.ts";
import { addDefault, clientCommand, clientFor, withExamples } from "../options.ts";
import { withEventCount } from "../progress.ts";
import { renderClock, type WireClock } from "../render-clock.ts";
import { localize } from "../language.ts";
import { arg } from "../placeholders.ts";
import { CliCommand } from "../command.ts";

type Options = ClientOptions & { readonly json?: boolean };

export function clockCommand(io: Io): Command {
  const show = async (
    { json, ...options }: Options,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<void> => {
    const client = clientFor(options);
    const label = localize({ en: "Moving the clock", pt: "Avançando o relógio" });
    const clock = await withEventCount(
      io,
      client,
      { label, isSilent: json || method === "GET" },
      () => client.control<WireClock>(method, `/clock${path}`, body),
    );
    if (json) io.printJson(clock);
    else io.print(renderClock(clock, io.color));
  };
  const showing = clientCommand("show")
    .description(localize({ en: "show the sandbox's time", pt: "mostra a hora do sandbox" }))
    .action((options: Options) => show(options, "GET", ""));
  const advance = clientCommand("advance")
    .description(
      localize({
        en: "advance time, and wait for every event that becomes due",
        pt: "avança o tempo e espera todos os eventos que vencem",
      }),
    )
    .argument(
      arg("duration"),
      localize({ en: "like 500ms, 30s, 5m, 2h or 1d", pt: "como 500ms, 30s, 5m, 2h ou 1d" }),
    )
    .action((duration: string, options: Options) =>
      show(options, "POST", "/advance", { seconds: readDurationMs(duration) / 1000 }),
    );
  const set = clientCommand("set")
    .description(
      localize({ en: "advance time to an instant", pt: "avança o tempo até um instante" }),
    )
    .argument(
      arg("time"),
      localize({
        en: "ISO 8601, like 2026-11-21T12:00:00Z",
        pt: "ISO 8601, como 2026-11-21T12:00:00Z",
      }),
    )
    .action((now: string, options: Options) => show(options, "POST", "/set", { now }));
  const freeze = clientCommand("freeze")
    .description(localize({ en: "freeze time", pt: "congela o tempo" }))
    .action((options: Options) => show(options, "POST", "/freeze"));
  const resume = clientCommand("resume")
    .description(localize({ en: "resume time", pt: "retoma o tempo" }))
    .action((options: Options) => show(options, "POST", "/resume"));
  withExamples(showing, ["clock show", "clock show --json"]);
  const command = addDefault(new CliCommand("clock"), showing)
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
