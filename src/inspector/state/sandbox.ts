import { computed, signal } from "@preact/signals";
import { TOTAL_HEADER } from "../../wire/names.ts";
import { type Activity, activityOf, activityOfLists, groupOf, groupsOf } from "./activity.ts";
import { callControl, control, ControlError, scope, scopeCheck } from "./control.ts";
import { language } from "./language.ts";
import { MAX_ROWS, Rows } from "./rows.ts";
import { trace } from "./trace.ts";
import type {
  Page,
  PageEvent,
  WireAbout,
  WireAssumption,
  WireClock,
  WireDelivery,
  WireTask,
  WireFault,
  WirePayin,
  WirePayout,
  WireRequest,
  WireReview,
  WireRule,
  WireSnapshot,
} from "./wire.ts";

/** How many rows a list loads at once. */
const PAGE_ROWS = 1000;

const idOf = ({ id }: { readonly id: string }): string => id;
const timeOf = ({ created_at }: { readonly created_at: string }): string => created_at;

/** The sandbox's records, as the page has loaded them and as events have changed them since. */
export const payins = new Rows<WirePayin>(idOf, { timeOf });
export const payouts = new Rows<WirePayout>(idOf, { timeOf });
export const deliveries = new Rows<WireDelivery>(idOf, { timeOf });
export const requests = new Rows<WireRequest>(idOf);
/** One row for each payin and payout, and for each event that is about none. */
export const activity = new Rows<Activity>(({ key }) => key);

export const faults = signal<readonly WireFault[]>([]);
export const assumptions = signal<readonly WireAssumption[]>([]);
export const snapshots = signal<readonly WireSnapshot[]>([]);
/** Without rules until it is loaded. */
export const review = signal<WireReview>({ rules: [], assumptions: [] });
/** The rules of the review, by their ids. */
export const rules = signal<ReadonlyMap<string, WireRule>>(new Map());
export const integrations = signal<readonly string[]>([]);
export const about = signal<WireAbout | undefined>(undefined);
export const secret = signal<string | undefined>(undefined);
export const nextDue = signal<WireTask | null>(null);
/** Ids of the deliveries with an attempt in flight; the version of `deliveries` covers it. */
export const sending = new Set<string>();
/** The clock, and the real time at which it was read. */
export const clock = signal<WireClock & { readonly readAtMs: number }>({
  now: new Date().toISOString(),
  mode: "real",
  readAtMs: Date.now(),
});
/** Whether amounts are in centavos. */
export const isInCentavos = computed(
  () => assumptions.value.find(({ name }) => name === "value.unit")?.choice === "centavos",
);

/** The sandbox's time now, in epoch milliseconds. */
export function nowMs(): number {
  const { now, mode, readAtMs } = clock.value;
  return Date.parse(now) + (mode === "real" ? Date.now() - readAtMs : 0);
}

/** The lists that can be loaded page by page, by their paths. */
const LISTS = { payins, payouts, deliveries, requests };
export type ListName = keyof typeof LISTS;

/** Grows when everything was loaded again. What was loaded for one record may be out of date then. */
export const loads = signal(0);

/** Loads everything. */
export async function loadAll(): Promise<void> {
  const names = Object.keys(LISTS) as ListName[];
  await Promise.all([...names.map((name) => loadNewest(name)), loadSmall()]);
  deriveActivity();
  loads.value++;
}

function deriveActivity(): void {
  const lines = activityOfLists({
    payins: newest(payins),
    payouts: newest(payouts),
    deliveries: newest(deliveries),
    requests: newest(requests),
    others: remembered.filter(isOfScope),
  });
  const groups = groupsOf(lines);
  activity.replace(groups.slice(-MAX_ROWS).toReversed(), groups.length, false);
}

/** Loads what is not a long list. */
async function loadSmall(): Promise<void> {
  await Promise.all([
    loadFaults(),
    loadAssumptions(),
    loadSnapshots(),
    loadReview(),
    loadRules(),
    loadClock(),
    loadIntegrations(),
    // A trace has neither an address nor a secret.
    ...(trace ? [] : [loadAbout(), loadSecret()]),
  ]);
}

async function loadAbout(): Promise<void> {
  about.value = await control<WireAbout>("GET", "/about");
}

async function loadSecret(): Promise<void> {
  secret.value = (await control<{ secret: string }>("GET", "/secret")).secret;
}

/** Also with an integration chosen, the faults of all integrations: they act on its calls. */
export async function loadFaults(): Promise<void> {
  const options = { integration: null };
  const { data } = await control<Page<WireFault>>("GET", "/faults?limit=1000", options);
  faults.value = data.filter(actsOnScope);
}

function actsOnScope({ integration }: WireFault): boolean {
  return scope.value === null || integration === null || integration === scope.value;
}

export async function loadAssumptions(): Promise<void> {
  const requested = language.value;
  const { data } = await control<Page<WireAssumption>>("GET", "/assumptions");
  // If the user has chosen another language meanwhile, another call loads its texts.
  if (language.value === requested) assumptions.value = data;
}

export async function loadSnapshots(): Promise<void> {
  snapshots.value = (await control<Page<WireSnapshot>>("GET", "/snapshots")).data;
}

/** The last call of {@link loadReview}, and the one whose result is shown. */
const reviews = { last: 0, shown: 0, lastAtMs: -Infinity };

export async function loadReview(): Promise<void> {
  const own = ++reviews.last;
  reviews.lastAtMs = performance.now();
  const loaded = await control<WireReview>("GET", "/report");
  if (own < reviews.shown) return;
  reviews.shown = own;
  review.value = loaded;
}

export async function loadRules(): Promise<void> {
  const requested = language.value;
  const { data } = await control<Page<WireRule>>("GET", "/report/rules");
  if (language.value === requested) rules.value = new Map(data.map((rule) => [rule.id, rule]));
}

export async function loadClock(): Promise<void> {
  const { next, ...now } = await readClock();
  setClock(now);
  nextDue.value = next;
}

export async function loadNextDue(): Promise<void> {
  nextDue.value = (await readClock()).next;
}

function readClock() {
  return control<WireClock & { readonly next: WireTask | null }>("GET", "/clock");
}

export async function loadIntegrations(): Promise<void> {
  const { data } = await control<Page<{ integration: string }>>("GET", "/integrations", {
    integration: null,
  });
  integrations.value = data.map(({ integration }) => integration);
}

/** Loads the newest rows of a list in place of those that are here. */
export async function loadNewest(name: ListName): Promise<void> {
  const rows = LISTS[name] as Rows<unknown>;
  const before = rows.added;
  const { page, total } = await loadPage(name);
  rows.replace(page.data, total ?? page.data.length, page.next !== null, rows.added - before);
}

/** Loads the rows before the oldest one that is here. */
export async function loadOlder(name: ListName): Promise<void> {
  const rows = LISTS[name] as Rows<unknown>;
  const { oldestId } = rows;
  if (!rows.hasOlder.value || rows.isLoadingOlder || rows.isFull || oldestId === undefined) return;
  rows.isLoadingOlder = true;
  try {
    const { page } = await loadPage(name, oldestId);
    // All rows may have been replaced meanwhile.
    if (rows.oldestId === oldestId) rows.addOlder(page.data, page.next !== null);
  } finally {
    rows.isLoadingOlder = false;
  }
}

async function loadPage(
  name: ListName,
  after?: string,
): Promise<{ page: Page<unknown>; total: number | undefined }> {
  const query = new URLSearchParams({ order: "desc", limit: String(PAGE_ROWS) });
  if (after !== undefined) query.set("after", after);
  const checkScope = scopeCheck();
  const response = await callControl(`/${name}?${query}`);
  if (!response.ok) throw new ControlError(response.status, response.statusText);
  const page = (await response.json()) as Page<unknown>;
  checkScope();
  const total = response.headers.get(TOTAL_HEADER);
  return {
    page,
    total: total === null ? undefined : Number(total),
  };
}

/** Applies an event; call {@link showChanges} once after several. @returns whether lists must be loaded again */
export function apply(event: PageEvent): boolean {
  switch (event.kind) {
    case "payin":
      payins.put(event.data);
      break;
    case "payout":
      payouts.put(event.data);
      break;
    case "delivery":
      deliveries.put(event.data);
      break;
    case "attempt": {
      const { attempt_number: _attempt, attempt: _last, ...delivery } = event.data;
      deliveries.put(delivery);
      sending.delete(delivery.id);
      break;
    }
    case "sent": {
      const { delivery_id } = event.data;
      sending.add(delivery_id);
      // A list draws a row again if it is another object.
      const delivery = deliveries.get(delivery_id);
      if (delivery) deliveries.put({ ...delivery });
      break;
    }
    case "request":
      requests.put(event.data);
      break;
    case "clock":
      setClock(event.data);
      break;
    case "fault": {
      const { change, fault } = event.data;
      if (!actsOnScope(fault)) break;
      const isOther = ({ id }: WireFault): boolean => id !== fault.id;
      if (change === "created") faults.value = [...faults.value.filter(isOther), fault];
      else if (change === "removed") faults.value = faults.value.filter(isOther);
      else faults.value = faults.value.map((one) => (isOther(one) ? one : fault));
      break;
    }
    case "held":
    case "released":
      soon(loadFaults);
      break;
    case "assumptions":
      soon(loadAssumptions);
      break;
    case "snapshot":
      soon(loadSnapshots);
      break;
    case "reset":
    case "missed":
    case "connected":
      break;
  }
  if (MOVES_DUE.has(event.kind)) soon(loadNextDue);
  if (IS_JUDGED.has(event.kind))
    soon(loadReview, reviews.lastAtMs + REVIEW_AFTER_MS - performance.now());
  const line = activityOf(event, new Date(nowMs()).toISOString(), activity.added);
  if (line) {
    activity.put(groupOf(line));
    if (PASSING.has(event.kind)) remember(line);
  }
  return event.kind === "reset" || event.kind === "missed";
}

const waiting = new Set<() => Promise<void>>();

/** Loads something in a moment, or after a longer wait, once for all events until then. */
function soon(load: () => Promise<void>, waitMs = 0): void {
  if (waiting.has(load)) return;
  waiting.add(load);
  setTimeout(
    () => {
      waiting.delete(load);
      // A sandbox that does not respond is shown as lost already.
      load().catch(() => undefined);
    },
    Math.max(LOAD_AFTER_MS, waitMs),
  );
}
const LOAD_AFTER_MS = 200;
/** The shortest time between two loads of the review: it is large, and can change with each event. */
const REVIEW_AFTER_MS = 1000;

/** Grows a few times a second while something changes, for what is too costly to draw in each frame. */
export const pulse = signal(0);
let pulsedAtMs = 0;

function beat(): void {
  const isEarly = performance.now() - pulsedAtMs < LOAD_AFTER_MS;
  if (isEarly) return soon(beatLater);
  pulsedAtMs = performance.now();
  pulse.value++;
}

const beatLater = async (): Promise<void> => beat();

/** Draws what {@link apply} has changed. */
export function showChanges(): void {
  beat();
  for (const rows of [payins, payouts, deliveries, requests, activity]) rows.show();
  storeRemembered();
}

function setClock({ now, mode }: WireClock): void {
  // The time of a trace is that of its end.
  clock.value = { now, mode: trace ? "frozen" : mode, readAtMs: Date.now() };
}

/** Events after which another task may be the next one. */
const MOVES_DUE: ReadonlySet<PageEvent["kind"]> = new Set([
  "payin",
  "payout",
  "delivery",
  "attempt",
  "clock",
]);

/** Events after which the review can be another one. */
const IS_JUDGED: ReadonlySet<PageEvent["kind"]> = new Set([
  "payin",
  "payout",
  "attempt",
  "request",
  "assumptions",
]);

/** Events that are in no list: the session remembers the newest ones for a reload of the page. */
const PASSING: ReadonlySet<PageEvent["kind"]> = new Set([
  "reset",
  "held",
  "released",
  "fault",
  "clock",
  "assumptions",
  "snapshot",
]);
const PASSING_KEY = "pix-sandbox-activity";
const MAX_PASSING = 100;
let { stream: rememberedStream, lines: remembered } = readRemembered();
let isRemembered = true;

/** Forgets the lines of another stream: they are of another sandbox, or of another state. */
export function rememberFor(stream: string): void {
  if (stream === rememberedStream) return;
  rememberedStream = stream;
  remembered = [];
  isRemembered = false;
  storeRemembered();
}

/** Whether a line is of the integration that the page shows, or of all integrations. */
function isOfScope({ event }: Activity): boolean {
  if (scope.value === null) return true;
  const { integration = null } = partOf(event) as { readonly integration?: string | null };
  return integration === null || integration === scope.value;
}

/** The part of an event that names its integration. */
function partOf({ kind, data }: Activity["event"]): object {
  if (kind === "fault") return data.fault;
  return kind === "snapshot" ? data.snapshot : data;
}

function remember(line: Activity): void {
  remembered = [...remembered.slice(1 - MAX_PASSING), line];
  isRemembered = false;
}

function storeRemembered(): void {
  if (isRemembered) return;
  isRemembered = true;
  sessionStorage.setItem(
    PASSING_KEY,
    JSON.stringify({ stream: rememberedStream, lines: remembered }),
  );
}

interface Remembered {
  readonly stream: string | undefined;
  readonly lines: readonly Activity[];
}

function readRemembered(): Remembered {
  try {
    const stored = JSON.parse(sessionStorage.getItem(PASSING_KEY) ?? "{}") as Partial<Remembered>;
    return { stream: stored.stream, lines: stored.lines ?? [] };
  } catch {
    return { stream: undefined, lines: [] };
  }
}

function newest<Row>(rows: Rows<Row>): Row[] {
  return [...rows].slice(0, MAX_ROWS);
}
