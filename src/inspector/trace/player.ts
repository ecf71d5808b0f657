import { signal } from "@preact/signals";
import type { TabStart } from "../../wire/tab-messages.ts";
import { language } from "../state/language.ts";
import { reload } from "../state/live.ts";
import { t } from "../state/language.ts";
import { say } from "../../text/message.ts";
import { testOf } from "../state/tests.ts";
import { TabMerchant } from "./merchant.ts";
import { TabSandbox } from "./tab-sandbox.ts";

/** The part of a trace that the page reads; the worker checks the whole. */
export interface PageTrace {
  readonly start: { readonly at: number };
  readonly steps: readonly { readonly at: number }[];
  readonly masked: boolean;
  readonly requests: readonly { readonly id: string; readonly test?: number }[];
  readonly tests: readonly PageTest[];
  readonly reports: Readonly<Record<string, unknown>>;
}

export interface PageTest {
  readonly id: number;
  readonly name: string;
  /** After how many steps it ended. */
  readonly until: number;
}

/** After how many steps the page shows the records. */
export const position = signal(0);
/** Whether the sandbox goes on from there: calls change it, and its clock runs. */
export const goesOn = signal(false);
export const merchant = new TabMerchant();

let sandbox: TabSandbox;
let trace: PageTrace | undefined;
let wanted: TabStart | undefined;
/** Resolves when the last start has ended: calls wait for it. */
let started: Promise<void> = Promise.resolve();

/** Starts the worker, and answers the page's calls with it. @param shown undefined: a new sandbox */
export async function play(source: string, shown: PageTrace | undefined): Promise<void> {
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  sandbox = new TabSandbox(worker, (webhook) => merchant.receive(webhook));
  trace = shown;
  globalThis.fetch = (path, init) => call(path as string, init);
  if (shown) {
    testOf.value = testsOf(shown);
    start(shown.steps.length, false);
  } else {
    goesOn.value = true;
    started = sandbox.start({ options: {} });
  }
  await started;
}

/** Finds the test of a request; its name goes to the end of the test. */
function testsOf({ requests, tests }: PageTrace): typeof testOf.value {
  const byId = new Map(tests.map((test) => [test.id, test]));
  const byRequest = new Map(requests.map(({ id, test }) => [id, byId.get(test ?? 0)]));
  return ({ id }) => {
    const test = byRequest.get(id);
    return test && { name: test.name, show: () => showTest(test) };
  };
}

/** Shows the records as they were when a test ended. */
export function showTest({ until }: PageTest): void {
  showAt(until);
}

/** Shows the records as they were after some steps. */
export function showAt(count: number): void {
  start(count, false);
  reload();
}

/** Goes on from the moment that is shown, with a new secret. */
export function goOn(): void {
  start(position.value, true);
  reload();
}

/** Shows the trace again, after one has gone on from it. */
export function goBack(): void {
  showAt(position.value);
}

function start(count: number, isGoingOn: boolean): void {
  position.value = count;
  goesOn.value = isGoingOn;
  const next: TabStart = { options: {}, trace, position: count, isStill: !isGoingOn };
  wanted = next;
  // A slider asks for many moments in a row: only the last of them is shown.
  started = started.then(() => (wanted === next ? sandbox.start(next) : undefined));
}

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  await started;
  if (trace === undefined || goesOn.value) return sandbox.fetch(path, init);
  // The verdicts of the end: the worker has not seen the traffic.
  if (/^\/_sandbox\/report(?:\?|$)/.test(path)) return Response.json(trace.reports[language.value]);
  const { method = "GET" } = init;
  if (method === "GET" || method === "HEAD") return sandbox.fetch(path, init);
  return Response.json(
    { message: t(STILL), code: "NOT_PROCESSABLE", errors: [] },
    { status: 422, headers: { "content-language": language.value } },
  );
}

const STILL = say`This is a trace. Press Continue to go on from here.`;
