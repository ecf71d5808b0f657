import type { Answer } from "../calls/answer.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import { say } from "../../text/message.ts";

/** A call of the gateway, as a hook sees it. */
export interface HookedCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The call's `x-api-token`; null without one. */
  readonly integration: string | null;
  /** The JSON value; undefined without a body, or if it is not JSON. */
  readonly body: unknown;
}

export interface HookedResponse {
  readonly status: number;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Returns the response to send in place of the given one, or nothing to send that one. */
export type ResponseHook = (
  call: HookedCall,
  response: HookedResponse,
) => HookedResponse | undefined | void | Promise<HookedResponse | undefined | void>;

/** The functions of a test that change the gateway's responses; one that is added twice runs twice. */
export type ResponseHooks = Set<{ readonly run: ResponseHook }>;

/** @returns a function that removes the hook */
export function addHook(hooks: ResponseHooks, run: ResponseHook): () => void {
  const hook = { run };
  hooks.add(hook);
  return () => void hooks.delete(hook);
}

/** The response after all hooks, in the order in which they were added. */
export async function applyHooks(
  hooks: ResponseHooks,
  { body: text, ...call }: Omit<HookedCall, "body"> & { readonly body: string },
  answer: Answer,
): Promise<Answer> {
  if (typeof answer.body !== "string" || answer.outcome?.isLost) return answer;
  const seen = { ...call, body: parseJson(text) };
  let sent = answer;
  for (const { run } of hooks) {
    const { status, headers, body } = sent;
    const changed = await resultOf(async () =>
      run(seen, { status, headers, body: parseJson(body as string) }),
    );
    if (changed)
      sent = {
        status: changed.status,
        headers: changed.headers,
        body: JSON.stringify(changed.body ?? null),
        outcome: { ...sent.outcome, ...(changed.status < 400 && { refusal: undefined }) },
      };
  }
  return sent;
}

/** @throws HttpRefusal 500 for a hook that throws, or that returns anything but a response. */
async function resultOf(
  run: () => Promise<HookedResponse | undefined | void>,
): Promise<HookedResponse | undefined> {
  const result = await run().catch((error: unknown) => {
    throw hookFailed(error instanceof Error ? error.message : String(error));
  });
  if (result === undefined || isResponse(result)) return result ?? undefined;
  throw hookFailed(`it returned ${JSON.stringify(result)}, not { status, headers, body }`);
}

function isResponse(value: unknown): value is HookedResponse {
  const { status, headers } = Object(value) as { status?: unknown; headers?: unknown };
  return (
    typeof status === "number" &&
    Number.isInteger(status) &&
    status >= 200 &&
    status <= 599 &&
    typeof headers === "object" &&
    headers !== null
  );
}

function hookFailed(reason: string): HttpRefusal {
  return new HttpRefusal(
    500,
    "EXTERNAL_ERROR",
    say`A function of beforeResponse failed: ${reason}.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
