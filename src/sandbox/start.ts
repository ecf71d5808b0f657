import { setMaxListeners } from "node:events";
import {
  earliestRealMs,
  identify,
  idsOf,
  persistStart,
  listCredentials,
  createFixtureLoader,
  locationBaseOf,
  settingOf,
} from "./startup.ts";
import { DueQueue } from "../core/time/due-queue.ts";
import { STANDARD_ASSUMPTIONS, withChanges } from "../core/assumptions/table.ts";
import { BrCodeFactory } from "../core/payments/br-code-factory.ts";
import { Clock, forwardOnly } from "../core/time/clock.ts";
import { Gateway } from "../core/gateway.ts";
import type { LocalizedText } from "../core/localized-text.ts";
import type { Snapshots, Store } from "../core/ports.ts";
import { Records } from "../core/state/records.ts";
import { ClockDriver } from "../core/time/clock-driver.ts";
import { toIso } from "../core/time/timestamp.ts";
import { toWireEvent, type WireAttemptEvent } from "../core/wire.ts";
import { asSecret } from "../delivery/signature.ts";
import { DeliveryWorker } from "../delivery/worker.ts";
import { createApp, loadRoutes } from "../http/app.ts";
import { answerInProcess } from "../http/in-process.ts";
import { listen } from "../http/listen.ts";
import { RateLimit } from "../http/rate-limit.ts";
import { RequestLog } from "../http/request-log.ts";
import type { ApiDescription } from "../http/openapi.ts";
import { identifyingHeaders } from "./identifying-headers.ts";
import type { SandboxOptions } from "./options.ts";
import { RealTimer } from "./timer.ts";
import { clearTimeout, monotonicNowMs, setTimeout, wallNowMs } from "../platform/real-time.ts";
import { validateOptions } from "./validate-options.ts";
import { MemorySnapshots, MemoryStore } from "../store/memory.ts";
import type { StateProblem } from "./state-rules.ts";
import type { StateReport } from "../store/repair.ts";
import { VERSION } from "../core/version.ts";

export { NoCredentialsError, PublicUrlError } from "./errors.ts";
export type {
  FaultFixture,
  Fixtures,
  PayinFixture,
  PayoutFixture,
  SandboxOptions,
} from "./options.ts";
export { Sender, type PostOutcome } from "../delivery/sender.ts";
export { type Mistake, type Verdict, verifyWebhook } from "../delivery/verify/verify.ts";
export { FixtureError } from "../core/errors.ts";
export { StorageError } from "../core/ports.ts";
export { SandboxClosedError } from "../http/refusals.ts";
export { StateFileError, StateInUseError } from "../store/errors.ts";
export type { StateProblem } from "./state-rules.ts";
export type { StateReport } from "../store/repair.ts";

/** A gateway that runs. */
export interface Sandbox {
  /** Without a trailing slash. */
  readonly url: string;
  /** The gateway's version-1 base address. */
  readonly baseUrl: string;
  readonly port: number;
  readonly secret: string;
  readonly seed: string;
  readonly clock: { readonly mode: "real" | "frozen"; nowMs(): number };
  /** How many payins and payouts there are. */
  count(): { payins: number; payouts: number };
  /** The headers that identify an integration; keyed anew at each call, from the seed where the state is in memory. */
  headers(token?: string): Record<string, string>;
  /**
   * Answers a call of this process as the server would, without a socket; a path stands below `url`.
   * @throws TypeError as `fetch` does where a fault loses the answer, SandboxClosedError after `close()`.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Calls `listener` after each attempt of a webhook; the answer stops that. */
  onAttempt(listener: (attempt: WireAttemptEvent) => void): () => void;
  /** Answers what is under way, lets attempts in flight end, and puts the state to rest. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Finished deliveries are history, and history has a limit. */
export const KEPT_DELIVERIES = 10_000;
const KEPT_REQUESTS = 1000;
/** A first call that comes sooner loads only what it needs, and does not wait for the rest. */
const WARM_UP_AFTER_MS = 100;
/** Timers do not notice a step of the wall clock, and stand still with a suspended machine: due times are checked this often. */
const LOOK_AGAIN_MS = 1000;
/** How long a stop waits for requests under way. */
const GRACE_MS = 2000;

/**
 * Starts the gateway.
 * @throws TypeError for an option that there is not, or that takes no such value, Error with the code EADDRINUSE for a busy port, PublicUrlError for a public URL that does not
 * fit a BR code, NoCredentialsError for an assumption that leaves no active credential, StateFileError for a state file that cannot be read, StateInUseError for one that
 * another process keeps, FixtureError for fixtures that cannot be read or cannot be, StorageError for one that cannot be written.
 */
export async function startSandbox(
  given: SandboxOptions = {},
  report: Report = reportTo(given.report),
): Promise<Sandbox> {
  const options = validateOptions(given);
  const locationBase = locationBaseOf(options.publicUrl);
  const store = await openStore(options, report);
  try {
    return await startWith(store, options, locationBase, report);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function startWith(
  store: Store,
  options: SandboxOptions,
  locationBase: string,
  report: Report,
): Promise<Sandbox> {
  const credentials = listCredentials(store, options);
  const identity = identify(store, options.seed);
  const realNowMs = forwardOnly({ wallNowMs, monotonicNowMs }, earliestRealMs(store, options));
  const clock = new Clock(realNowMs, settingOf(options, store.records.clock, realNowMs()));
  const aheadMs = realNowMs() - wallNowMs();
  if (aheadMs >= 1000) report(clockIsBehind(Math.floor(aheadMs / 1000), toIso(clock.nowMs())));
  const dueQueue = new DueQueue();
  const ids = idsOf(store, identity);
  const assumptions = withChanges(STANDARD_ASSUMPTIONS, options.assumptions ?? {});
  const brCode = { locationBase, city: options.city ?? "" };
  const fixtures = await createFixtureLoader(options, {
    records: store.records,
    ids,
    codes: new BrCodeFactory(brCode),
    start: assumptions,
  });
  const missing = fixtures?.missing(clock.nowMs());
  const gateway: Gateway = new Gateway({
    store,
    clock,
    dueQueue,
    ids,
    assumptions,
    brCode,
    startDelivery: (delivery) => worker.start(delivery),
    dropDeliveries: (integration) => worker.drop(integration),
  });
  const secretOf = (integration: string | null): string => {
    const isListed = gateway.assumptionsOf(integration).credentials === "listed";
    const listed = isListed ? credentials.get(integration ?? "") : undefined;
    return listed ? asSecret(listed.apiSecret) : identity.secret;
  };
  const worker = new DeliveryWorker({
    gateway,
    secretOf,
    userAgent: `pix-sandbox/${VERSION}`,
    destinations: options.webhookAllow ?? "all",
  });
  const clockDriver = new ClockDriver({
    clock,
    dueQueue,
    gateway,
    sender: worker,
    timer: new RealTimer(LOOK_AGAIN_MS),
  });
  const closing = new AbortController();
  // Every open stream listens to it.
  setMaxListeners(0, closing.signal);
  const reportError = (error: unknown): void => report(unexpectedError(error, identity.seed));
  const app = createApp({
    gateway,
    clock,
    clockDriver,
    sender: worker,
    snapshots: await openSnapshots(options),
    fixtures,
    rateLimit: new RateLimit(),
    requests: new RequestLog(options.keepRequests ?? KEPT_REQUESTS),
    credentials,
    secretOf,
    seed: identity.seed,
    stream: identity.stream,
    explain: options.explain ?? false,
    magic: options.magic ?? false,
    origins: { allowedHosts: options.allowHosts ?? [], corsOrigins: options.corsOrigins ?? [] },
    closing: closing.signal,
    report: reportError,
  });

  const listening = await listen(app, {
    host: options.host ?? "127.0.0.1",
    port: options.port ?? 0,
    https: options.https ?? false,
  });
  try {
    persistStart(store, identity, options.assumptions ?? {});
    // In the turn in which it began to listen: nobody has been answered yet.
    if (missing) await gateway.put(missing);
    await gateway.storeClock();
  } catch (error) {
    await listening.close(0);
    throw error;
  }
  // What fell due while nobody was there happens now, in order.
  clockDriver.start();
  const warmingUp = setTimeout(
    () => void loadRoutes({ closing: closing.signal, report: reportError }),
    WARM_UP_AFTER_MS,
  ).unref();

  const keysDrawn = new Map<string, number>();
  const nextKey = (token: string): string => {
    // A state file may hold the keys that an earlier run has drawn.
    if (options.stateFile !== undefined) return crypto.randomUUID();
    const counter = (keysDrawn.get(token) ?? 0) + 1;
    keysDrawn.set(token, counter);
    return ids.key(token, counter);
  };

  const inProcess = answerInProcess(
    app,
    listening.url,
    (text) => text[gateway.assumptionsOf(null)["error.language"]],
  );

  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    clearTimeout(warmingUp);
    gateway.stop();
    await Promise.all([listening.close(GRACE_MS), inProcess.close(GRACE_MS)]); // first refuse new requests,
    clockDriver.stop(); // then let nothing more fall due,
    await worker.stop(); // then let the last attempts end,
    // A store that refuses has said so; it is put to rest all the same.
    await gateway.storeClock().catch(() => undefined);
    await store.close(); // then put the records to rest
  };
  return {
    url: listening.url,
    baseUrl: `${listening.url}/v1`,
    port: listening.port,
    secret: identity.secret,
    seed: identity.seed,
    clock,
    count: () => ({ payins: store.records.payins.size, payouts: store.records.payouts.size }),
    headers: (token = "sandbox") =>
      identifyingHeaders(token, nextKey(token), credentials.get(token)?.merchantId),
    fetch: (input, init) => inProcess.fetch(input, init),
    onAttempt: (listener) => onAttempt(gateway, listener),
    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}

/** Receives a text about each problem that the sandbox handles by itself. */
export type Report = (text: LocalizedText) => void;

function reportTo(
  write: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Report {
  return ({ en }) => write(`pix-sandbox: ${en}`);
}

function clockIsBehind(seconds: number, now: string): LocalizedText {
  return {
    en: `the system clock is ${seconds} s behind the newest record of the state file; sandbox time continues at ${now}. Correct the system clock, or set the time with --now.`,
    pt: `o relógio do sistema está ${seconds} s atrás do registro mais novo do arquivo de estado; o tempo do sandbox continua a partir de ${now}. Acerte o relógio do sistema ou defina o horário com --now.`,
  };
}

function unexpectedError(error: unknown, seed: string): LocalizedText {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    en: `unexpected error, seed ${seed}: ${details}`,
    pt: `erro inesperado, seed ${seed}: ${details}`,
  };
}

/** What keeps a file is loaded where there is one. */
async function openStore(
  { stateFile, durability, strictState, keepDeliveries = KEPT_DELIVERIES }: SandboxOptions,
  report: Report,
): Promise<Store> {
  if (stateFile === undefined) return new MemoryStore(new Records(keepDeliveries));
  const { openStateFile } = await import("../store/state-file.ts");
  return openStateFile(stateFile, {
    durability,
    strict: strictState,
    keepDeliveries,
    timer: new RealTimer(),
    report,
  });
}

async function openSnapshots({ stateFile }: SandboxOptions): Promise<Snapshots> {
  if (stateFile === undefined) return new MemorySnapshots();
  return (await import("../store/snapshot-files.ts")).openSnapshots(stateFile);
}

/** What `state check` says; see store/repair.ts, and state-rules.ts for the records that break the API's rules. */
export async function checkState(
  file: string,
): Promise<StateReport & { readonly problems: readonly StateProblem[] }> {
  const [{ checkState: check }, { findProblems, writtenTwice }] = await Promise.all([
    import("../store/repair.ts"),
    import("./state-rules.ts"),
  ]);
  let problems: readonly StateProblem[] = [];
  const report = await check(file, undefined, (records) => {
    problems = findProblems(records);
  });
  return {
    ...report,
    problems: [...report.twice.map(({ list, id }) => writtenTwice(list, id)), ...problems],
  };
}

/** What `state repair` does; see store/repair.ts. */
export async function repairState(file: string): Promise<StateReport> {
  return (await import("../store/repair.ts")).repairState(file);
}

/** A QR code's image, as the bytes of a PNG or the text of an SVG; see http/qr-image.ts. */
export async function renderQr(code: string, form: "png" | "svg"): Promise<Buffer | string> {
  const { renderQrPng, renderQrSvg } = await import("../http/qr-image.ts");
  return form === "png" ? renderQrPng(code) : renderQrSvg(code);
}

/** The OpenAPI document of every route, as it is where nothing was changed. */
export async function describeApi(): Promise<ApiDescription> {
  return (await import("../http/openapi.ts")).describeApi(STANDARD_ASSUMPTIONS);
}

function onAttempt(gateway: Gateway, listener: (attempt: WireAttemptEvent) => void): () => void {
  let seen = gateway.lastEventNumber;
  return gateway.eventLog.onMore(() => {
    for (const event of gateway.eventLog.after(seen, Number.POSITIVE_INFINITY)) {
      seen = event.number;
      const { kind, data } = toWireEvent(event, (integration) =>
        gateway.assumptionsOf(integration),
      );
      if (kind === "attempt") listener(data);
    }
  });
}
