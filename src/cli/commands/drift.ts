import { readFile } from "node:fs/promises";
import type { AssumptionChanges } from "../../core/assumptions/table.ts";
import { type Drift, findDrift } from "../../fidelity/drift.ts";
import { codeIn } from "../../fidelity/exchange.ts";
import { readRecording, type Recording } from "../../fidelity/recording.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { unreadable } from "../../text/file-reason.ts";
import { say } from "../../text/message.ts";
import { defineOwnCommand } from "../definition/define-command.ts";
import { repeatable, word } from "../definition/parameters.ts";
import { withModel } from "../fidelity/model-sandbox.ts";
import { ageDays, driftDocument, renderDrift } from "../fidelity/render-drift.ts";
import { configFileOf, readConfigFile, readProfileFile } from "../serving/config-file.ts";
import { readAssumptions, readMember } from "../serving/options.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";

export const driftCommand = defineOwnCommand("drift", {
  isLocal: true,
  arguments: { file: word("file", say`the recording`) },
  flags: {
    assume: repeatable("name=choice", say`select an assumption's choice`),
    profile: word("file", say`the choices of a profile`),
  },
  async run({ file, assume = [], profile }, { io, json }) {
    const recording = await read(file, io);
    const choices = await choicesInForce(assume, profile, io);
    const drift = await withModel({ callers: callersOf(recording) }, (model) =>
      findDrift(recording, model, choices),
    );
    const days = ageDays(recording, wallNowMs());
    if (json) io.printJson(driftDocument(recording, drift, days));
    else io.print(renderDrift(recording, drift, days, io));
    const { length } = drift.differences;
    if (length === 0) return;
    throw new CliError(EXIT.checkFailed, "DRIFT", sentence(drift));
  },
  examples: [
    "drift staging.jsonl",
    "drift staging.jsonl --profile profiles/staging.json",
    "drift staging.jsonl --assume payout.rival=reject --json",
  ],
});

function sentence({ differences: { length } }: Drift) {
  return say`The sandbox differs from the recording in ${length} members.`;
}

async function read(file: string, io: Io): Promise<Recording> {
  const text = await readFile(pathIn(io, file), "utf8").catch((error: Error) => {
    throw usageError(say`The recording ${file} cannot be read: ${unreadable(error)}.`);
  });
  const recording = readRecording(text);
  if ("refusal" in recording)
    throw usageError(say`The recording ${file} cannot be used. ${recording.refusal}`);
  return recording;
}

/** The choices that `serve` would have here. */
async function choicesInForce(
  assume: readonly string[],
  given: string | undefined,
  io: Io,
): Promise<AssumptionChanges> {
  const file = configFileOf({ config: undefined }, io);
  const config = file === undefined ? undefined : await readConfigFile(file, io);
  const named = given ?? (config && (readMember(config, "profile")?.value as string | undefined));
  const profile = named === undefined ? undefined : await readProfileFile(named, io);
  return { ...profile?.assumptions, ...config?.assumptions, ...readAssumptions(assume) };
}

/** The callers that the gateway knew: it has accepted a call of theirs. */
function callersOf({ calls }: Recording) {
  const known = calls.filter(({ response }) => codeIn(response) === undefined);
  const ids = known.flatMap(({ headers: { "x-api-token": token, "x-provider-id": id } }) =>
    token && id ? [[token, id] as const] : [],
  );
  return [...new Map(ids)].map(([apiKey, merchantId]) => ({ apiKey, merchantId }));
}
