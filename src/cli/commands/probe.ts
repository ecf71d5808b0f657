import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../platform/replace-file.ts";
import { makeFolders } from "../../platform/make-folders.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { codeIn } from "../../fidelity/exchange.ts";
import { isShutOut, newObserved, type Observed, runExperiments } from "../../fidelity/runner.ts";
import { judge } from "../../fidelity/verdicts.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import { flag, freeText, type Given, integer, repeatable, word } from "../definition/parameters.ts";
import {
  planDocument,
  renderPlan,
  renderQuestions,
  renderVerdicts,
  toDocument,
} from "../fidelity/render-probe.ts";
import { checkBaseUrl, orPortTaken } from "../fidelity/addresses.ts";
import { receiveWebhooks, sendCall } from "../fidelity/http-target.ts";
import { withModel } from "../fidelity/model-sandbox.ts";
import { hasCredentials, writeChoices } from "../fidelity/write-choices.ts";
import { CONFIG_FILE } from "../serving/config-file.ts";
import type { Verdict } from "../../fidelity/own-verdicts.ts";
import { isLoopback } from "../../core/records/webhook-url.ts";
import { toIso } from "../../wire/timestamp.ts";
import { CliError, EXIT, interruptedError, usageError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { canAsk, Questions } from "../terminal/questions.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
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
  const publicUrl = given.public_url?.replace(/\/$/, "");
  if (given.plan) {
    if (json) return io.printJson(planDocument());
    return io.print(renderPlan(publicUrl !== undefined, io));
  }
  if (given.as_questions && given.base_url === undefined) return io.print(renderQuestions([]));
  const baseUrl = checkBaseUrl(given.base_url, given.never ?? [], "--base-url");
  if (token === undefined)
    throw usageError(say`Missing token.`, say`Pass it in PIX_SANDBOX_TOKEN, or with --token.`);
  if (!yes) await ask(baseUrl, json, io);
  const interrupted = new AbortController();
  const stopListening = io.onSignal(() => interrupted.abort());
  const observed = await readPlace(baseUrl, io);
  try {
    await using _ =
      publicUrl === undefined
        ? undefined
        : await receive(given.port ?? portOf(publicUrl), observed);
    await runExperiments(
      {
        baseUrl,
        headers: {
          "x-api-token": token,
          "x-provider-id": providerId,
          "x-provider": provider,
          "x-country-code": given.country_code,
        },
        perSecond: rate,
        publicUrl,
        send: sendCall,
        nowMs: wallNowMs,
        pause: (ms) => pauseUntil(ms, interrupted.signal),
        signal: interrupted.signal,
        store: (place) => storePlace(place, io),
      },
      observed,
    );
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw interruptedError(say`The probe was interrupted. Run it again to resume.`);
  } finally {
    stopListening();
  }
  if (isShutOut(observed)) throw await shutOut(observed, io);
  const callers = [{ apiKey: "own", merchantId: providerId }];
  const verdicts = await withModel({ callers }, (model) => judge(observed, model));
  await rm(pathIn(io, PLACE_FILE), { force: true });
  if (json) io.printJson(toDocument(verdicts, observed));
  else io.print(given.as_questions ? renderQuestions(verdicts) : renderVerdicts(verdicts, io));
  if (observed.isProduction) io.printError(io.errorColor.yellow(localize(STOPPED)));
  else {
    if (given.write) await write(CONFIG_FILE, verdicts, json, io);
    if (given.profile !== undefined) await write(given.profile, verdicts, json, io);
  }
  const contradicted = verdicts.filter(({ verdict }) => verdict === "contradicted");
  if (contradicted.length === 0) return;
  const names = contradicted.map(({ name }) => name).join(", ");
  throw new CliError(
    EXIT.checkFailed,
    "CONTRADICTED",
    say`The gateway does what no choice describes: ${names}.`,
  );
}

async function shutOut({ exchanges }: Observed, io: Io): Promise<CliError> {
  await rm(pathIn(io, PLACE_FILE), { force: true });
  const [{ response } = { response: undefined }] = Object.values(exchanges).flat();
  const answer = [response?.status, response && codeIn(response)].filter(Boolean).join(" ");
  return new CliError(
    EXIT.refused,
    "REFUSED",
    say`The gateway refused the first payin: ${toSafeLine(answer)}. No more calls were made.`,
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
    !(await hasCredentials(file, io));
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

async function ask(baseUrl: string, json: boolean, io: Io): Promise<void> {
  if (json || !canAsk(io))
    throw usageError(
      say`probe asks before the first call, but there is no terminal.`,
      say`Read the plan with --plan, then pass --yes.`,
    );
  await using questions = new Questions(io);
  if (!(await questions.confirm(localize(say`Make these calls to ${baseUrl}?`))))
    throw interruptedError(say`No call was made.`);
}

const PLACE_FILE = ".pix-sandbox/probe.json";

async function readPlace(baseUrl: string, io: Io): Promise<Observed> {
  const text = await readFile(pathIn(io, PLACE_FILE), "utf8").catch(() => undefined);
  const place = text === undefined ? undefined : (JSON.parse(text) as Observed);
  const fresh = newObserved(baseUrl);
  // An earlier version may have stored less.
  return place?.baseUrl === baseUrl ? { ...fresh, ...place } : fresh;
}

async function storePlace(place: Observed, io: Io): Promise<void> {
  const file = pathIn(io, PLACE_FILE);
  await makeFolders(path.resolve(path.dirname(file)));
  await writeFile(`${file}.new`, JSON.stringify(place));
  await replaceFile(`${file}.new`, file);
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
