import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeFolders, replaceFile } from "../../platform/folders.ts";
import { clearTimeout, setTimeout, wallNowMs } from "../../platform/real-time.ts";
import { codeIn, codeWord } from "../../fidelity/exchange.ts";
import { readPlace } from "../../fidelity/place.ts";
import {
  isShutOut,
  newObserved,
  type Observed,
  runExperiments,
  type Target,
  TooManyCalls,
} from "../../fidelity/runner.ts";
import { StateInUseError } from "../../server/options/errors.ts";
import { lockFile } from "../../server/tools/tools.ts";
import { judge } from "../../fidelity/verdicts.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import { flag, freeText, type Given, integer, repeatable, word } from "../definition/parameters.ts";
import {
  mostPayouts,
  planDocument,
  renderPlan,
  renderQuestions,
  renderVerdicts,
  toDocument,
} from "../fidelity/render-probe.ts";
import { withProgress } from "../client/progress.ts";
import { checkBaseUrl, checkPublicUrl, orPortTaken } from "../fidelity/addresses.ts";
import { receiveWebhooks, sendCall } from "../fidelity/http-target.ts";
import { withModel } from "../fidelity/model-sandbox.ts";
import { readChoices, writeChoices } from "../fidelity/write-choices.ts";
import { CONFIG_FILE } from "../serving/config-file.ts";
import type { Verdict } from "../../fidelity/own-verdicts.ts";
import { isLoopback } from "../../core/records/webhook-url.ts";
import { toIso } from "../../wire/timestamp.ts";
import {
  CliError,
  EXIT,
  interruptedError,
  unwritableFile,
  usageError,
} from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { canAsk, confirm } from "../terminal/questions.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { unreadable } from "../../text/file-reason.ts";
import { say } from "../../text/message.ts";

const FLAGS = {
  base_url: freeText("url", say`the staging address, with its version: https://…/v1`),
  token: word("token", say`the x-api-token`, { env: "PIX_SANDBOX_TOKEN" }),
  provider_id: word("id", say`the x-provider-id`, {
    env: "PIX_SANDBOX_PROVIDER_ID",
    default: "sandbox",
  }),
  provider: word("name", say`the x-provider`, { default: "pix-sandbox" }),
  country_code: word("text", say`the x-country-code`, { default: "BR" }),
  never: repeatable(
    "host",
    say`refuse this host and those below it, such as production; repeatable`,
  ),
  public_url: word(
    "url",
    say`an address at which the gateway reaches --port of this machine: tells the rows of webhooks`,
  ),
  port: integer(
    [0, 65_535],
    "port",
    say`where to receive webhooks; default: the port of --public-url`,
  ),
  rate: integer([1, 100], "number", say`the most calls in a second`, { default: 5 }),
  plan: flag(say`print the calls and what each tells, and make none`),
  yes: flag(say`make the calls without a question`, { short: "y" }),
  write: flag(say`set the observed choices in ${CONFIG_FILE}, with the date`),
  profile: word(
    "file",
    say`set the observed choices in this profile, such as profiles/staging.json`,
  ),
  as_questions: flag(
    say`print what is open as questions for the provider's support, in Markdown; without --base-url: all`,
  ),
};

export const probeCommand = defineOwnCommand("probe", {
  isLocal: true,
  flags: FLAGS,
  run: probe,
  examples: [
    "probe --plan",
    "probe --base-url https://staging.example.com/v1",
    "probe --base-url https://staging.example.com/v1 --write",
    "probe --base-url URL --profile profiles/staging.json",
    "probe --as-questions",
  ],
});

async function probe(given: Given<unknown, typeof FLAGS>, { io, json }: Run): Promise<void> {
  const { provider_id: providerId, provider, token, rate, yes = false } = given;
  const publicUrl = checkPublicUrl(given.public_url);
  if (given.plan) {
    if (json) return io.printJson(planDocument());
    return io.print(renderPlan(publicUrl !== undefined, io));
  }
  if (given.as_questions && given.base_url === undefined) return io.print(renderQuestions([]));
  const baseUrl = checkBaseUrl(given.base_url, given.never ?? [], "--base-url");
  if (token === undefined)
    throw usageError(say`Missing token.`, say`Pass it in PIX_SANDBOX_TOKEN, or with --token.`);
  const files = [...(given.write ? [CONFIG_FILE] : []), ...(given.profile ? [given.profile] : [])];
  // After the calls it would be too late.
  for (const file of files) await readChoices(file, io);
  if (!yes) await ask(baseUrl, publicUrl !== undefined, json, io);
  const headers = {
    "x-api-token": token,
    "x-provider-id": providerId,
    "x-provider": provider,
    "x-country-code": given.country_code,
  };
  const call = { baseUrl, headers, perSecond: rate, publicUrl };
  const observed = await alone(io, () => observe(call, { port: given.port, json }, io));
  if (isShutOut(observed)) throw await shutOut(observed, io);
  const callers = [{ apiKey: "own", merchantId: providerId }];
  const verdicts = await withModel({ callers }, (model) => judge(observed, model));
  await rm(pathIn(io, PLACE_FILE), { force: true });
  if (json) io.printJson(toDocument(verdicts, observed));
  else io.print(given.as_questions ? renderQuestions(verdicts) : renderVerdicts(verdicts, io));
  if (observed.isProduction) io.printError(io.errorColor.yellow(localize(STOPPED)));
  else for (const file of files) await write(file, verdicts, json, io);
  const contradicted = verdicts.filter(({ verdict }) => verdict === "contradicted");
  if (contradicted.length === 0) return;
  const names = contradicted.map(({ name }) => name).join(", ");
  throw new CliError(
    EXIT.checkFailed,
    "CONTRADICTED",
    say`The gateway does what no choice describes: ${names}.`,
  );
}

/** Makes the calls that are missing. */
async function observe(
  call: Pick<Target, "baseUrl" | "headers" | "perSecond" | "publicUrl">,
  { port, json }: { readonly port: number | undefined; readonly json: boolean },
  io: Io,
): Promise<Observed> {
  const { baseUrl, publicUrl } = call;
  const observed = await placeOf(baseUrl, io);
  await using _ =
    publicUrl === undefined ? undefined : await receive(port ?? portOf(publicUrl), observed);
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const stopListening = io.onSignal(() => interrupted.abort());
  const target: Target = {
    ...call,
    send: (one) => sendInTime(one, signal),
    nowMs: wallNowMs,
    pause: (ms) => pauseUntil(ms, signal),
    signal,
    store: (place) => storePlace(place, io),
  };
  const label = say`Calling ${toSafeLine(new URL(baseUrl).host)}`;
  try {
    await withProgress(io, { label, isSilent: json }, () => runExperiments(target, observed));
  } catch (error) {
    if (signal.aborted)
      throw interruptedError(say`The probe was interrupted. Run it again to resume.`);
    if (!(error instanceof TooManyCalls)) throw error;
    throw new CliError(EXIT.refused, "TOO_MANY_CALLS", say`The gateway refuses more calls.`, LATER);
  } finally {
    stopListening();
  }
  return observed;
}

const LATER = say`Check --base-url, or run it again later to resume.`;
/** A gateway that does not respond for so long is not waited for. */
const PATIENCE_MS = 30_000;

async function sendInTime(call: Parameters<Target["send"]>[0], signal: AbortSignal) {
  const late = AbortSignal.timeout(PATIENCE_MS);
  return sendCall({ ...call, signal: AbortSignal.any([signal, late]) }).catch((error: Error) => {
    if (signal.aborted) throw error;
    if (late.aborted)
      throw new CliError(
        EXIT.timedOut,
        "TIMEOUT",
        say`The gateway did not respond within ${PATIENCE_MS / 1000} s.`,
        LATER,
      );
    const reason = toSafeLine(error.message);
    const message = say`The gateway did not respond: ${reason}.`;
    throw new CliError(EXIT.unexpected, "UNREACHABLE", message, LATER);
  });
}

async function shutOut({ exchanges }: Observed, io: Io): Promise<CliError> {
  await rm(pathIn(io, PLACE_FILE), { force: true });
  const [{ response } = { response: undefined }] = Object.values(exchanges).flat();
  const answer = [response?.status, response && codeWord(response)].filter(Boolean).join(" ");
  return new CliError(
    EXIT.refused,
    "REFUSED",
    response && codeIn(response) === undefined
      ? say`The response to the first payin has no id. No more calls were made.`
      : say`The gateway refused the first payin: ${answer}. No more calls were made.`,
    say`Check --base-url, the token, --provider-id, --provider and --country-code.`,
  );
}

const STOPPED = say`Stopped: the simulation was refused, so this is production. No more calls were made.`;

async function write(
  file: string,
  verdicts: readonly Verdict[],
  json: boolean,
  io: Io,
): Promise<void> {
  // The sandbox would not start with it.
  const isUnlisted =
    file === CONFIG_FILE &&
    verdicts.some(({ name, choice }) => name === "credentials" && choice === "listed") &&
    ((await readChoices(file, io)).credentials ?? []).length === 0;
  const written = isUnlisted ? verdicts.filter(({ name }) => name !== "credentials") : verdicts;
  const count = await writeChoices(file, written, { at: toIso(wallNowMs()), by: "probe" }, io);
  if (json) return;
  io.printError(say`${count} choices are set in ${file}.`);
  if (isUnlisted)
    io.printError(
      say`credentials=listed is not set, because ${file} lists no credentials: add them, then set it.`,
    );
}

/** The port of an address on this machine. */
function portOf(publicUrl: string): number {
  const { hostname, port } = new URL(publicUrl);
  if (isLoopback(hostname) && port !== "") return Number(port);
  throw usageError(say`Pass the port that ${publicUrl} reaches with --port.`);
}

function receive(port: number, observed: Observed) {
  return orPortTaken(port, receiveWebhooks(port, observed, wallNowMs));
}

async function ask(baseUrl: string, hasReceiver: boolean, json: boolean, io: Io): Promise<void> {
  if (json || !canAsk(io))
    throw usageError(
      say`probe asks before the first call, but there is no terminal.`,
      say`Read the plan with --plan, then pass --yes.`,
    );
  const payouts = mostPayouts(hasReceiver);
  const question = say`Make the calls of --plan to ${baseUrl} (up to ${payouts} payouts)?`;
  if (!(await confirm(io, question))) throw interruptedError(say`No call was made.`);
}

const PLACE_FILE = ".pix-sandbox/probe.json";

/** Two probes at once would repeat each other's payouts, and count each other's calls as their own. */
async function alone<Result>(io: Io, work: () => Promise<Result>): Promise<Result> {
  const file = pathIn(io, PLACE_FILE);
  const folder = path.resolve(path.dirname(file));
  try {
    // Nothing in it is to commit.
    if ((await makeFolders(folder)) !== undefined)
      await writeFile(path.join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    throw unwritableFile(PLACE_FILE, error as Error, say`Run it in another folder.`);
  }
  const release = await lockFile(file).catch((error: unknown) => {
    if (!(error instanceof StateInUseError)) throw error;
    throw new CliError(EXIT.inUse, "PROBE_RUNS", say`Another probe runs in this folder.`);
  });
  return work().finally(release);
}

async function placeOf(baseUrl: string, io: Io): Promise<Observed> {
  const text = await readFile(pathIn(io, PLACE_FILE), "utf8").catch(
    (error: Error & { code: string }) => {
      if (error.code === "ENOENT") return undefined;
      throw usageError(say`${PLACE_FILE} cannot be read: ${unreadable(error)}.`);
    },
  );
  if (text === undefined) return newObserved(baseUrl);
  const place = readPlace(text);
  if (!place)
    throw usageError(
      say`The file ${PLACE_FILE} is damaged.`,
      say`Remove it to begin anew. A payout may then be made again.`,
    );
  return place.baseUrl === baseUrl ? place : newObserved(baseUrl);
}

async function storePlace(place: Observed, io: Io): Promise<void> {
  const file = pathIn(io, PLACE_FILE);
  try {
    await writeFile(`${file}.new`, JSON.stringify(place));
    await replaceFile(`${file}.new`, file);
  } catch (error) {
    throw unwritableFile(PLACE_FILE, error as Error, LATER);
  }
}

function pauseUntil(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
