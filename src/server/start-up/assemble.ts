import { readHostRewrite } from "../options/option-checks.ts";
import { setMaxListeners } from "node:events";
import type { RequestListener } from "node:http";
import { STANDARD_ASSUMPTIONS, withChanges } from "../../core/assumptions/table.ts";
import { Gateway } from "../../core/operations/gateway.ts";
import { ClockDriver } from "../../core/operations/clock-driver.ts";
import { Reviewer } from "../../review/reviewer.ts";
import { Clock, forwardOnly } from "../../core/time/clock.ts";
import { toIso } from "../../wire/timestamp.ts";
import { Events } from "../../core/state/events.ts";
import { VERSION } from "../../wire/names.ts";
import { asSecret } from "../../webhook-diagnosis/signature.ts";
import { DeliveryWorker } from "../../delivery/worker.ts";
import type { Context } from "../../http/context/context.ts";
import { describeSettings } from "../../http/context/health.ts";
import { listenerOf } from "../../http/faces/node.ts";
import { ControlToken } from "../../http/context/control-token.ts";
import { answerInProcess } from "../../http/faces/in-process.ts";
import { type Listening, untilClientsKnow } from "../../http/faces/listen.ts";
import { RateLimit } from "../../http/context/rate-limit.ts";
import {
  RequestLog,
  reviewRequest,
  sizeOf,
  toWireRequest,
} from "../../http/context/request-log.ts";
import { toWireSinkWebhook } from "../../http/context/sink.ts";
import type { OpenedState } from "../../store/storage.ts";
import { monotonicNowMs, wallNowMs } from "../../platform/real-time.ts";
import { describeSandbox } from "../activity/about.ts";
import { onActivity } from "../activity/activity.ts";
import { earliestRealMs, settingOf } from "./clock-setting.ts";
import { createHeaders, identify, idsOf } from "./identity.ts";
import type { Settings } from "../options/options.ts";
import type { FixtureSource } from "./fixtures.ts";
import {
  clockIsBehind,
  type Report,
  traceIsNotWritten,
  unexpectedError,
} from "../activity/report.ts";
import type { Sandbox } from "../activity/sandbox.ts";
import { OwnAddresses } from "../activity/own-addresses.ts";
import { createSink, receiveInSink } from "../activity/sink-receiver.ts";
import { acceptedHosts, createFixtureLoader, listCredentials, persistStart } from "./startup.ts";
import { RealTimer } from "./timer.ts";
import { english, loadLanguages, translate } from "../../text/languages.ts";

/** Timers do not notice a step of the wall clock, and stop while a machine is suspended: due times are checked this often. */
const CHECK_EVERY_MS = 1000;
/** How long `close` waits for open requests. */
const GRACE_MS = 2000;

/** A start's options with what is derived from them. */
export interface Start {
  readonly settings: Settings;
  /** See `locationBaseOf`. */
  readonly locationBase: string;
  readonly fixtureSources: readonly FixtureSource[];
  readonly report: Report;
}

/**
 * Builds a sandbox on an opened state, and begins to answer. If it fails, the state is still open.
 * @param attach begins to pass calls to the handler
 */
export async function assembleSandbox(
  { store, snapshots, lease }: OpenedState,
  attach: (handler: RequestListener) => Promise<Listening>,
  { settings, locationBase, fixtureSources, report }: Start,
): Promise<Sandbox> {
  const {
    assumptions: changes,
    city,
    controlToken,
    corsOrigins,
    explain,
    keepRequests: keep,
    magic,
    profile,
    publicUrl,
    seed,
    stateFile,
    trace,
    webhookAllow: destinations,
    webhookHostRewrites,
    webhookInsecure: isInsecure,
  } = settings;
  const credentials = listCredentials(store, settings);
  const identity = identify(store, seed);
  const realNowMs = forwardOnly(wallNowMs, monotonicNowMs, earliestRealMs(store, settings));
  const startMs = realNowMs();
  const clock = new Clock(
    realNowMs,
    settingOf(settings, store.records.clock, startMs),
    settingOf(settings, undefined, startMs),
  );
  const aheadMs = realNowMs() - wallNowMs();
  if (aheadMs >= 1000) report(clockIsBehind(Math.floor(aheadMs / 1000), toIso(clock.nowMs())));
  const ids = idsOf(store, identity);
  const assumptions = withChanges(STANDARD_ASSUMPTIONS, changes);
  if (assumptions["error.language"] !== "en") await loadLanguages();
  const brCode = { locationBase, city };
  const closing = new AbortController();
  // Every open stream listens to it.
  setMaxListeners(0, closing.signal);
  const gateway = new Gateway({
    store,
    clock,
    ids,
    assumptions,
    brCode,
    closing: closing.signal,
    // Later than all events of earlier processes: no process adds a thousand events a millisecond.
    events: new Events(wallNowMs() * 1000),
  });
  const fixtures = await createFixtureLoader(fixtureSources, settings.assumptions, {
    gateway,
    records: store.records,
    start: assumptions,
  });
  const missing = fixtures?.missing(clock.nowMs());
  const secretOf = (integration: string | null): string => {
    const isListed = gateway.assumptionsOf(integration).credentials === "listed";
    const listed = isListed ? credentials.get(integration ?? "") : undefined;
    return listed ? asSecret(listed.apiSecret) : identity.secret;
  };
  const reachedHosts = new Set<string>();
  const sink = createSink({ gateway, secretOf, keep });
  const allowedHosts = acceptedHosts(settings);
  const own = new OwnAddresses({
    listening: () => listening,
    publicUrl,
    allowedHosts,
    hasHost: (host) => reachedHosts.has(host),
  });
  const worker = new DeliveryWorker({
    gateway,
    secretOf,
    userAgent: `pix-sandbox/${VERSION}`,
    destinations,
    receiveLocally: receiveInSink(sink, own),
    hostRewrites: new Map(webhookHostRewrites.map(readHostRewrite)),
    isInsecure,
    lease,
  });
  gateway.sender = worker;
  const clockDriver = new ClockDriver(gateway, worker, new RealTimer(CHECK_EVERY_MS));
  const startedAtMs = wallNowMs();
  const reportError = (error: unknown): void => report(unexpectedError(error, identity.seed));
  const requests = new RequestLog(keep);
  const reviewer = new Reviewer(
    { nowMs: () => clock.nowMs(), realMs: monotonicNowMs },
    (integration, key) => store.records.takenFor(integration, key),
  );
  const { events } = gateway;
  events.listen((event) => reviewer.see(event));
  requests.onEntry((request) => reviewRequest(request, reviewer));
  requests.onEntry((request) =>
    events.add({
      kind: "request",
      integration: request.integration,
      size: sizeOf(request),
      toWire: () => toWireRequest(request),
    }),
  );
  sink.onEntry((webhook) =>
    events.add({
      kind: "sink",
      integration: webhook.integration,
      size: webhook.body.length,
      toWire: ({ language }) => toWireSinkWebhook(webhook, language),
    }),
  );
  const writeTrace: Context["writeTrace"] = async (integration) => {
    const { toTraceFile } = await import("../trace/write-trace.ts");
    const listed = [...credentials.values()].map(({ apiSecret }) => apiSecret);
    const drawn = seed === undefined ? [identity.seed] : [];
    const secrets = [identity.secret, ...drawn, controlToken ?? "", ...listed];
    // Not that of other callers: at the end it is closed.
    const server = answerInProcess(context, listening.url, english);
    return toTraceFile({ server, integration, controlToken, secrets });
  };
  const context: Context = {
    gateway,
    clock,
    clockDriver,
    sender: worker,
    snapshots,
    fixtures,
    rateLimit: new RateLimit(),
    requests,
    reviewer,
    writeTrace,
    sink,
    isOwnControlRoute: (address) => own.isControlRoute(address),
    credentials,
    profile,
    secretOf,
    seed: identity.seed,
    explain,
    magic,
    controlToken: controlToken === undefined ? undefined : new ControlToken(controlToken),
    allowedHosts,
    corsOrigins,
    describeApi: async (described, isProtected) => {
      const { describeApi } = await import("../../http/openapi/document.ts");
      return describeApi(described, "/", isProtected);
    },
    reachedHosts,
    about: () => describeSandbox(listening, settings, startedAtMs),
    lease,
    closing: closing.signal,
    report: reportError,
  };
  const listening = await attach(listenerOf(context));
  try {
    persistStart(store, identity, changes);
    // Runs in the turn in which the server began to listen: no request has been handled yet.
    if (missing) await gateway.put(missing);
    await gateway.storeClock();
  } catch (error) {
    await listening.close(0);
    throw error;
  }
  // Handles, in order, what fell due while no sandbox ran.
  clockDriver.start();
  const inProcess = answerInProcess(context, listening.url, (text) =>
    translate(text, gateway.assumptionsOf(null)["error.language"]),
  );
  const headers = createHeaders(ids, { credentials, isPersistent: stateFile !== undefined });

  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    await Promise.all([listening.close(GRACE_MS), inProcess.close()]); // refuses new requests,
    clockDriver.stop(); // then nothing more falls due,
    await worker.stop(); // then the last attempts end,
    if (trace !== undefined)
      await writeTrace(null)
        .then(async (html) => (await import("../trace/write-trace.ts")).writeToFile(trace, html))
        .catch((error: Error) => report(traceIsNotWritten(trace, error)));
    // A store that refuses changes has reported it already.
    await gateway.storeClock().catch(() => undefined);
    await store.close(); // then the records are stored.
    await untilClientsKnow();
  };
  return {
    url: listening.url,
    baseUrl: `${listening.url}/v1`,
    port: listening.port,
    secret: identity.secret,
    seed: identity.seed,
    clock,
    settings: () => describeSettings(null, context),
    count: () => {
      const { transactions } = store.records;
      const payins = transactions.all().filter(({ kind }) => kind === "payin").length;
      return { payins, payouts: transactions.size - payins };
    },
    headers,
    fetch: (input, init) => inProcess.fetch(input, init),
    call: (path, call) => inProcess.call(path, call),
    lastEvent: () => events.last,
    onActivity: (listener) => onActivity({ events, requests, clock }, listener),
    replaced: lease?.replaced,
    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}
