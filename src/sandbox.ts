import { hash, randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { Agenda } from "./core/agenda.ts";
import { type AssumptionChanges, STANDARD_ASSUMPTIONS, withChanges } from "./core/assumptions.ts";
import { ChargeCodes } from "./core/charge-codes.ts";
import type { Credential, Credentials } from "./core/credentials.ts";
import { Clock, type ClockSetting } from "./core/clock.ts";
import type { FaultPlace } from "./core/fault.ts";
import type { Seeds } from "./core/fixture.ts";
import { Gateway } from "./core/gateway.ts";
import { Ids } from "./core/ids.ts";
import type { PayinStatus } from "./core/payin.ts";
import type { PayoutStatus } from "./core/payout.ts";
import type { PixKeyType } from "./core/pix-key.ts";
import type { Snapshots, Store } from "./core/ports.ts";
import { type Identity, Records } from "./core/records.ts";
import { Timekeeper } from "./core/timekeeper.ts";
import { toWireEvent, type WireAttemptEvent } from "./core/wire.ts";
import { asSecret, toSecret } from "./delivery/signature.ts";
import { DeliveryWorker } from "./delivery/worker.ts";
import { createApp, warmUp } from "./http/app.ts";
import { answerInProcess } from "./http/in-process.ts";
import { listen } from "./http/listen.ts";
import { RateLimit } from "./http/rate-limit.ts";
import { RequestLog } from "./http/request-log.ts";
import type { ApiDescription } from "./http/openapi.ts";
import { identifyingHeaders } from "./identification.ts";
import { RealAlarm } from "./real-alarm.ts";
import { MemorySnapshots, MemoryStore } from "./store/memory.ts";
import type { StateReport } from "./store/repair.ts";
import { VERSION } from "./version.ts";

export { Sender, type PostOutcome } from "./delivery/send.ts";
export { type Mistake, type Verdict, verifyWebhook } from "./delivery/verify.ts";
export { FixtureError } from "./core/errors.ts";
export { StorageError } from "./core/ports.ts";
export { SandboxClosedError } from "./http/refusals.ts";
export { StateFileError, StateInUseError } from "./store/errors.ts";
export type { StateReport } from "./store/repair.ts";

/** Records and failures that there are from the start, as a fixtures file holds them under names in snake_case. */
export interface Fixtures {
  readonly payins?: readonly PayinFixture[] | undefined;
  readonly payouts?: readonly PayoutFixture[] | undefined;
  readonly faults?: readonly FaultFixture[] | undefined;
}

/** A request of `POST /v1/payins`, whose it is, and what became of it. */
export interface PayinFixture {
  /** The `x-api-token` of its integration. Default `sandbox`. */
  readonly token?: string | undefined;
  /** Default `waiting`. */
  readonly status?: PayinStatus | undefined;
  readonly value: number;
  readonly description?: string | undefined;
  readonly buyerCpf: string;
  readonly buyerName: string;
  readonly buyerEmail: string;
  readonly webhookUrl: string;
  readonly generateQrcode?: boolean | undefined;
  readonly expiration?: number | undefined;
}

/** A request of `POST /v1/payouts`, likewise. */
export interface PayoutFixture {
  readonly token?: string | undefined;
  readonly status?: PayoutStatus | undefined;
  readonly value: number;
  readonly description?: string | undefined;
  readonly receiverCpf: string;
  readonly receiverName: string;
  readonly receiverEmail: string;
  readonly webhookUrl: string;
  readonly pixKey: string;
  readonly pixKeyType: PixKeyType;
}

/** A body of `POST /_sandbox/faults`; for everyone where it names no token. */
export interface FaultFixture {
  readonly token?: string | undefined;
  readonly on: FaultPlace;
  /** Such as `error=EXTERNAL_ERROR`. */
  readonly effect: string;
  /** By their names on the wire. */
  readonly match?: Readonly<Record<string, unknown>> | undefined;
  readonly times?: number | undefined;
  readonly probability?: number | undefined;
}

/** How a sandbox is started; everything has a default. */
export interface SandboxOptions {
  /** Default 127.0.0.1: this machine alone. */
  readonly host?: string | undefined;
  /** Default 0, a free port; a busy one is an error. */
  readonly port?: number | undefined;
  /** The JSON file that keeps the state; without one nothing outlives the process. */
  readonly stateFile?: string | undefined;
  /** When a change of a state file counts as done: `always` outlasts a loss of power, `none` the process. Default `always`. */
  readonly durability?: "always" | "none" | undefined;
  /** How many finished deliveries are remembered. Default 10,000. */
  readonly keepDeliveries?: number | undefined;
  /** How many requests are remembered, in memory alone. Default 1,000. */
  readonly keepRequests?: number | undefined;
  /** What there is from the start and after each reset: JSON files by their names, or fixtures as they are. */
  readonly fixtures?: readonly (string | Fixtures)[] | undefined;
  /** Fixes every id, and the secret of a new state. Default: the state's own, or a random one. */
  readonly seed?: string | undefined;
  /** `frozen` time stands still until it is advanced. Default `real`. */
  readonly clock?: "real" | "frozen" | undefined;
  /** The sandbox's time at the start, ISO 8601. Default: now, or where the state left off. */
  readonly now?: Date | undefined;
  /** Choices where the specification is silent, by name. */
  readonly assumptions?: AssumptionChanges | undefined;
  /** Whether the header `x-sandbox-assumption` names every assumption that was asked, not only changed ones. Default false. */
  readonly explain?: boolean | undefined;
  /** Whether the values that `pix-sandbox magic` lists mean something. Default false. */
  readonly magic?: boolean | undefined;
  /** Who may call where `credentials` is assumed to be `listed`: each with an `apiKey` of its own. */
  readonly credentials?: readonly Credential[] | undefined;
  readonly https?: boolean | undefined;
  /** The address whose host BR codes carry in place of one that cannot exist. */
  readonly publicUrl?: string | undefined;
  /** The city on BR codes. Default `SAO PAULO`. */
  readonly city?: string | undefined;
  /** Host names that are answered beside this machine's own. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Origins whose pages may call. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Where webhooks may go: anywhere but to link-local addresses, or to this machine alone. Default `all`. */
  readonly webhookAllow?: "all" | "loopback" | undefined;
  /** Hears of what failed inside, a line at a time. Default: stderr. */
  readonly report?: ((line: string) => void) | undefined;
}

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
/** A public URL under which a charge's location does not fit a BR code. */
export class PublicUrlError extends RangeError {
  override readonly name = "PublicUrlError";
}

/** Only credentials that are listed are assumed to be active, and none is listed. */
export class NoCredentialsError extends RangeError {
  override readonly name = "NoCredentialsError";
}

/** Whoever calls the gateway as soon as it is there waits for what that needs; all others do not. */
const WARM_UP_AFTER_MS = 100;
/** How long a stop waits for requests under way. */
const GRACE_MS = 2000;

/**
 * Starts the gateway.
 * @throws Error with the code EADDRINUSE for a busy port, PublicUrlError for a public URL that does not
 * fit a BR code, NoCredentialsError for an assumption that leaves no active credential, StateFileError for a state file that cannot be read, StateInUseError for one that
 * another process keeps, FixtureError for fixtures that cannot be read or cannot be, StorageError for one that cannot be written.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const report = options.report ?? ((line) => process.stderr.write(`${line}\n`));
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
  report: (line: string) => void,
): Promise<Sandbox> {
  const credentials = listCredentials(store, options);
  const identity = identify(store, options.seed);
  const clock = new Clock(Date.now, settingOf(options, store.records.clock));
  const agenda = new Agenda();
  const ids = new Ids(digest, identity.seed);
  const assumptions = withChanges(STANDARD_ASSUMPTIONS, options.assumptions ?? {});
  const brCode = { locationBase, city: options.city ?? "" };
  const seeds = await loadSeeds(options, {
    records: store.records,
    ids,
    codes: new ChargeCodes(brCode),
    start: assumptions,
  });
  const missing = seeds?.missing(clock.nowMs());
  const gateway: Gateway = new Gateway({
    store,
    clock,
    agenda,
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
  const timekeeper = new Timekeeper({
    clock,
    agenda,
    gateway,
    courier: worker,
    alarm: new RealAlarm(),
  });
  const closing = new AbortController();
  // Every open stream listens to it.
  setMaxListeners(0, closing.signal);
  const app = createApp({
    gateway,
    clock,
    timekeeper,
    courier: worker,
    snapshots: await openSnapshots(options),
    seeds,
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
    report: (error) =>
      report(
        `pix-sandbox: unexpected error, seed ${identity.seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ),
  });

  const listening = await listen(app, {
    host: options.host ?? "127.0.0.1",
    port: options.port ?? 0,
    https: options.https ?? false,
  });
  try {
    keepStart(store, identity, options.assumptions ?? {});
    // In the turn in which it began to listen: nobody has been answered yet.
    if (missing) await gateway.put(missing);
    await gateway.keepClock();
  } catch (error) {
    await listening.close(0);
    throw error;
  }
  // What fell due while nobody was there happens now, in order.
  timekeeper.start();
  const warmingUp = setTimeout(() => void warmUp(), WARM_UP_AFTER_MS).unref();

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
    (sentence) => sentence[gateway.assumptionsOf(null)["error.language"]],
  );

  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    clearTimeout(warmingUp);
    gateway.stop();
    await Promise.all([listening.close(GRACE_MS), inProcess.close(GRACE_MS)]); // first refuse new requests,
    timekeeper.stop(); // then let nothing more fall due,
    await worker.stop(); // then let the last attempts end,
    // A store that refuses has said so; it is put to rest all the same.
    await gateway.keepClock().catch(() => undefined);
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

/** What keeps a file is loaded where there is one. */
async function openStore(
  { stateFile, durability, keepDeliveries = KEPT_DELIVERIES }: SandboxOptions,
  report: (line: string) => void,
): Promise<Store> {
  if (stateFile === undefined) return new MemoryStore(new Records(keepDeliveries));
  const { openStateFile } = await import("./store/state-file.ts");
  return openStateFile(stateFile, {
    durability,
    keepDeliveries,
    alarm: new RealAlarm(),
    report: (sentence) => report(`pix-sandbox: ${sentence}`),
  });
}

async function openSnapshots({ stateFile }: SandboxOptions): Promise<Snapshots> {
  if (stateFile === undefined) return new MemorySnapshots();
  return (await import("./store/snapshot-files.ts")).openSnapshots(stateFile);
}

/** What makes records of fixtures; loaded where there are some. */
async function loadSeeds(
  { fixtures = [], assumptions: said = {} }: SandboxOptions,
  parts: Pick<ConstructorParameters<typeof Seeds>[0], "records" | "ids" | "codes" | "start">,
): Promise<Seeds | undefined> {
  if (fixtures.length === 0) return undefined;
  const { readFixtureFile, readFixtures, toFixtureSource } = await import("./http/fixtures.ts");
  const { Seeds: Made } = await import("./core/fixture.ts");
  const { changedAssumptions } = parts.records;
  // As they hold once this start has had its say.
  const everyones = withChanges(parts.start, { ...changedAssumptions.get(null), ...said });
  const assumptionsOf = (integration: string) => {
    const own = changedAssumptions.get(integration);
    return own ? withChanges(everyones, own) : everyones;
  };
  const sources = await Promise.all(
    fixtures.map(async (one) =>
      typeof one === "string" ? readFixtureFile(one) : toFixtureSource(one),
    ),
  );
  return new Made({ ...parts, fixtures: readFixtures(sources, assumptionsOf), assumptionsOf });
}

/** What `state check` says; see store/repair.ts. */
export async function checkState(file: string): Promise<StateReport> {
  return (await import("./store/repair.ts")).checkState(file);
}

/** What `state repair` does; see store/repair.ts. */
export async function repairState(file: string): Promise<StateReport> {
  return (await import("./store/repair.ts")).repairState(file);
}

/** A QR code's image, as the bytes of a PNG or the text of an SVG; see http/qr-image.ts. */
export async function renderQr(code: string, form: "png" | "svg"): Promise<Buffer | string> {
  const { renderQrPng, renderQrSvg } = await import("./http/qr-image.ts");
  return form === "png" ? renderQrPng(code) : renderQrSvg(code);
}

/** The OpenAPI document of every route, as it is where nothing was changed. */
export async function describeApi(): Promise<ApiDescription> {
  return (await import("./http/openapi.ts")).describeApi(STANDARD_ASSUMPTIONS);
}

/** @throws NoCredentialsError where everyone needs a listed one, by this start or as an earlier run left it, and there is none. */
function listCredentials(
  { records }: Store,
  { assumptions = {}, credentials = [] }: SandboxOptions,
): Credentials {
  const { credentials: choice } = { ...records.changedAssumptions.get(null), ...assumptions };
  if (choice === "listed" && credentials.length === 0)
    throw new NoCredentialsError("credentials=listed is assumed, and no credentials are listed.");
  return new Map(credentials.map((credential) => [credential.apiKey, credential]));
}

/** Remembers what this start changes; one that changes nothing leaves the state as it is. */
function keepStart(store: Store, identity: Identity, said: AssumptionChanges): void {
  const { records } = store;
  const kept = records.identity;
  if (!kept || kept.seed !== identity.seed || kept.stream !== identity.stream)
    store.commit({ identity });
  // What was changed for everyone while an earlier run ran still holds, but for what this start says itself.
  const changed = Object.entries(records.changedAssumptions.get(null) ?? {});
  const still = changed.filter(([name]) => !Object.hasOwn(said, name));
  if (still.length === changed.length) return;
  const changedAssumptions = [{ integration: null, changes: Object.fromEntries(still) }];
  store.commit({ changedAssumptions });
}

function identify(
  { records }: Store,
  seed: string | undefined,
): Identity & { readonly stream: string } {
  const kept = records.identity;
  const held = seed ?? kept?.seed ?? randomBytes(8).toString("hex");
  return {
    seed: held,
    secret: kept?.secret ?? toSecret(Buffer.from(digest(`${held}\nsecret`).slice(0, 48), "hex")),
    // Not from the seed: a sandbox that begins anew counts its events anew.
    stream: kept?.stream ?? randomBytes(8).toString("hex"),
  };
}

function digest(text: string): string {
  return hash("sha512", text, "hex");
}

/** What is asked for, or else where the state left off: time never goes back by a restart. */
function settingOf(
  { clock: mode = "real", now }: SandboxOptions,
  kept: ClockSetting | undefined,
): ClockSetting {
  const startMs = now?.getTime();
  if (mode === "frozen") {
    const keptMs = kept?.mode === "frozen" ? kept.nowMs : Date.now() + (kept?.offsetMs ?? 0);
    return { mode, nowMs: startMs ?? keptMs };
  }
  const keptOffsetMs =
    kept?.mode === "frozen" ? Math.max(0, kept.nowMs - Date.now()) : (kept?.offsetMs ?? 0);
  return { mode, offsetMs: startMs === undefined ? keptOffsetMs : startMs - Date.now() };
}

/**
 * Host and path under which BR codes locate charges; nobody can pay under a name that cannot exist.
 * @throws PublicUrlError where a location under it does not fit a BR code.
 */
function locationBaseOf(publicUrl: string | undefined): string {
  if (publicUrl === undefined) return "pix-sandbox.example";
  const { host, pathname } = new URL(publicUrl);
  const base = `${host}${pathname}`.replace(/\/+$/, "");
  try {
    new ChargeCodes({ locationBase: base, city: "" }).write("0".repeat(32), "");
  } catch (error) {
    throw new PublicUrlError((error as Error).message);
  }
  return base;
}

function onAttempt(gateway: Gateway, listener: (attempt: WireAttemptEvent) => void): () => void {
  let seen = gateway.lastEventNumber;
  return gateway.feed.onMore(() => {
    for (const event of gateway.feed.after(seen, Number.POSITIVE_INFINITY)) {
      seen = event.number;
      const { kind, data } = toWireEvent(event, (integration) =>
        gateway.assumptionsOf(integration),
      );
      if (kind === "attempt") listener(data);
    }
  });
}
