import { signal } from "@preact/signals";
import { about } from "./sandbox.ts";
import { shellWord } from "../../text/plain/shell-word.ts";
import { control, scope } from "./control.ts";

/** Something that the user can do: a call of a control route, and the command that does the same. */
export interface Action {
  readonly label: string;
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Without `/_sandbox`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The words after `pix-sandbox`; undefined if no command does the same. */
  readonly command: readonly string[] | undefined;
  /** The integration that it acts on; default: the one that the page shows. */
  readonly integration?: string | null;
  /** A question to answer first, for what cannot be undone or concerns many records. */
  readonly question?: string;
  /** The most likely next step; its button stands out. */
  readonly isMain?: boolean;
  /** Called when the sandbox has done it, such as to load a list again. */
  readonly onDone?: () => Promise<unknown>;
}

/** The result of the last action that failed, for people. */
export const failure = signal<string | undefined>(undefined);
/** The action whose question is open. */
export const asked = signal<Action | undefined>(undefined);

const DEFAULT_ADDRESS = "http://127.0.0.1:7490";

/** Runs an action, after its question. */
export async function run(action: Action): Promise<void> {
  if (action.question !== undefined && asked.value !== action) {
    asked.value = action;
    return;
  }
  asked.value = undefined;
  failure.value = undefined;
  try {
    await control(action.method, action.path, action);
  } catch (error) {
    failure.value = `${action.label}: ${(error as Error).message}`;
    return;
  }
  // A sandbox that does not respond is shown as lost already.
  await action.onDone?.().catch(() => undefined);
}

/** The command line of these words. */
export function commandLine(
  command: readonly string[],
  integration: string | null = scope.value,
): string {
  return completeCommand(["npx", "pix-sandbox", ...command].map(shellWord).join(" "), integration);
}

/** A command line with the options for this sandbox. */
export function completeCommand(line: string, integration: string | null = scope.value): string {
  const address = location.origin === DEFAULT_ADDRESS ? [] : ["--url", location.origin];
  const token = integration === null ? [] : ["--token", integration];
  return [line, ...[...token, ...address].map(shellWord)].join(" ");
}

/** The call with curl. */
export function curlLine({ method, path, body, integration = scope.value }: Action): string {
  return [
    "curl",
    "-X",
    method,
    `${location.origin}/_sandbox${path}`,
    ...(integration === null ? [] : ["-H", `x-api-token: ${integration}`]),
    ...(body === undefined
      ? []
      : ["-H", "content-type: application/json", "-d", JSON.stringify(body)]),
  ]
    .map(shellWord)
    .concat(about.value?.protected ? ["-H", AUTHORIZATION] : [])
    .join(" ");
}

/** The page does not know the control token; commands read the same variable. */
const AUTHORIZATION = '"authorization: Bearer $PIX_SANDBOX_CONTROL_TOKEN"';
