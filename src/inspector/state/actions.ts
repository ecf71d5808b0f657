import { signal } from "@preact/signals";
import { about } from "./sandbox.ts";
import { shellWord } from "../../text/plain/safe-text.ts";
import { control, scope } from "./control.ts";
import { callGateway, gatewayHeaders } from "./gateway.ts";
import { SAMPLE } from "../../wire/sample.ts";
import { DEFAULT_ADDRESS, ORIGIN } from "./origin.ts";

/** Something that the user can do: a call of a control route, and the command that does the same. */
export interface Action {
  readonly label: string;
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Without `/_sandbox`; of a call of the gateway, the whole path. */
  readonly path: string;
  /** Whether it is a call of the gateway. */
  readonly isGateway?: boolean;
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
  /** Whether it deletes something, or ends a payment; the question's focus is then on "Cancel". */
  readonly isDanger?: boolean;
  /** Called when the sandbox has done it, such as to load a list again. */
  readonly onDone?: () => Promise<unknown>;
}

/** The result of the last action that failed, for people. */
export const failure = signal<string | undefined>(undefined);
/** The action whose question is open. */
export const asked = signal<Action | undefined>(undefined);

/** Runs an action, after its question. */
export async function run(action: Action): Promise<void> {
  if (action.question !== undefined && asked.value !== action) {
    asked.value = action;
    return;
  }
  asked.value = undefined;
  failure.value = undefined;
  try {
    if (action.isGateway)
      await callGateway(action.path, action.body, action.integration ?? undefined);
    else await control(action.method, action.path, action);
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
  const program = about.value?.program ?? "npx --no pix-sandbox";
  return completeCommand([program, ...command.map(shellWord)].join(" "), integration);
}

/** A command line with the options for this sandbox. */
export function completeCommand(line: string, integration: string | null = scope.value): string {
  const address = ORIGIN === DEFAULT_ADDRESS ? [] : ["--url", ORIGIN];
  const token = integration === null ? [] : ["--token", integration];
  return [line, ...[...token, ...address].map(shellWord)].join(" ");
}

/** The call with curl. */
export function curlLine(action: Action): string {
  const { method, path, body, integration = scope.value, isGateway } = action;
  const headers = isGateway
    ? gatewayHeaders(integration ?? SAMPLE.token, "KEY")
    : {
        ...(integration !== null && { "x-api-token": integration }),
        ...(body !== undefined && { "content-type": "application/json" }),
      };
  return [
    "curl",
    "-X",
    method,
    `${ORIGIN}${isGateway ? "" : "/_sandbox"}${path}`,
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    ...(body === undefined ? [] : ["-d", JSON.stringify(body)]),
  ]
    .map(shellWord)
    .concat(about.value?.protected && !isGateway ? ["-H", AUTHORIZATION] : [])
    .join(" ");
}

/** The page does not know the control token; commands read the same variable. */
const AUTHORIZATION = '"authorization: Bearer $PIX_SANDBOX_CONTROL_TOKEN"';
