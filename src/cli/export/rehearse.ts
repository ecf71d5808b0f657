import { randomUUID } from "node:crypto";
import { startSandbox } from "../../server/start.ts";
import { differencesOf } from "../../play/scenario/difference.ts";
import {
  type Call,
  callOf,
  definedBy,
  expectedBody,
  fill,
  type Step,
  type Story,
  usedBy,
  Variable,
  WEBHOOK_URL,
} from "./story.ts";
import { type Message, say } from "../../text/message.ts";

/**
 * Plays a story in a fresh sandbox of this process, so that no export contains a step that fails. Leaves out steps that
 * do not pass, with those that depend on them, and adds a note about them.
 */
export async function rehearse(story: Story): Promise<Story> {
  let { steps } = story;
  let left = 0;
  for (;;) {
    const failed = await firstFailure(steps);
    if (failed === undefined) break;
    const kept = without(failed, steps);
    left += steps.length - kept.length;
    steps = kept;
  }
  return left === 0 ? story : { ...story, steps, notes: [...story.notes, toNote(left)] };
}

/** @returns the first step that does not pass. */
async function firstFailure(steps: readonly Step[]): Promise<Step | undefined> {
  const sandbox = await startSandbox({ report: () => undefined });
  const values = new Map<string, string>([
    [WEBHOOK_URL.name, `${sandbox.url}/_sandbox/sink/export`],
  ]);
  try {
    for (const step of steps) {
      const call = callOf(step);
      const answer = await send(call, step, sandbox, values);
      if (!isExpected(call, answer, values)) return step;
      const id = idIn(answer?.body);
      if (call.as && id !== undefined) values.set(call.as.name, id);
    }
    return undefined;
  } finally {
    await sandbox.close();
  }
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** @returns undefined if the response is lost. */
async function send(
  { method, path, isGateway, body, key, fault }: Call,
  { integration }: Step,
  sandbox: Awaited<ReturnType<typeof startSandbox>>,
  values: ReadonlyMap<string, string>,
): Promise<Answer | undefined> {
  const valueOf = ({ name }: Variable): string => values.get(name) ?? "";
  const token = `export-${integration}`;
  const headers = {
    ...(isGateway && sandbox.headers(token)),
    ...(integration !== "all" && { "x-api-token": token }),
    ...(key !== undefined ? { "x-idempotency-key": key } : { "x-idempotency-key": randomUUID() }),
    ...(fault !== undefined && { "x-sandbox-fault": fault }),
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const target = path.map((part) => (part instanceof Variable ? valueOf(part) : part)).join("");
  const sent = body === undefined ? {} : { body: JSON.stringify(fill(body, valueOf)) };
  try {
    const response = await sandbox.fetch(target, { method, headers, ...sent });
    return { status: response.status, body: await response.json() };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function isExpected(
  { expected, as }: Call,
  answer: Answer | undefined,
  values: ReadonlyMap<string, string>,
): boolean {
  if (expected === "lost" || answer === undefined)
    return expected === "lost" && answer === undefined;
  if (answer.status !== expected.status) return false;
  if (as && idIn(answer.body) === undefined) return false;
  const wanted = expectedBody(expected);
  if (wanted === undefined) return true;
  return (
    differencesOf(
      fill(wanted, ({ name }) => values.get(name)),
      answer.body,
    ).length === 0
  );
}

/** The id of a response: of its object, or of the first one of its list. */
export function idIn(body: unknown): string | undefined {
  const { id, data } = Object(body) as { id?: unknown; data?: unknown };
  if (Array.isArray(data)) return idIn(data[0]);
  return typeof id === "string" ? id : undefined;
}

/** The steps without one, and without those that use what it defines. */
function without(failed: Step, steps: readonly Step[]): Step[] {
  const gone = new Set<string>();
  return steps.filter((step) => {
    const isGone = step === failed || usedBy(step).some(({ name }) => gone.has(name));
    const defined = definedBy(step);
    if (isGone && defined) gone.add(defined.name);
    return !isGone;
  });
}

function toNote(left: number): Message {
  return say`Steps that do not pass in a fresh sandbox are left out: ${left}.`;
}
