import { signal } from "@preact/signals";
import { language, t } from "./language.ts";
import { answerFrom, trace } from "./trace.ts";
import { say } from "../../text/message.ts";

/** The integration that the page shows; null for all of them. It is sent as a header: no address contains it. */
export const scope = signal<string | null>(sessionStorage.getItem("pix-sandbox-integration"));

/** Grows with each choice of an integration. */
let choices = 0;

export function chooseScope(integration: string | null): void {
  choices++;
  if (integration === null) sessionStorage.removeItem("pix-sandbox-integration");
  else sessionStorage.setItem("pix-sandbox-integration", integration);
  scope.value = integration;
}

/** The sandbox refused a call, or did not respond. The message is for people. */
export class ControlError extends Error {
  /** 0 without a response. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns a function that throws if the user has chosen another integration meanwhile: a response is not for it. */
export function scopeCheck(): () => void {
  const before = choices;
  return () => {
    if (choices !== before) throw new ControlError(0, "The page shows another integration now.");
  };
}

/** The headers of a control call. @param integration default: the one that the page shows */
export function controlHeaders(integration: string | null = scope.value): Record<string, string> {
  return {
    ...(integration !== null && { "x-api-token": toHeaderText(integration) }),
    ...(language.value !== "en" && { "x-sandbox-language": language.value }),
  };
}

/** The text whose characters are the bytes of UTF-8: `fetch` accepts no others in a header, and the sandbox reads UTF-8. */
export function toHeaderText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/**
 * Calls a control route, such as `/clock`.
 * @throws ControlError
 */
export async function control<Value>(
  method: string,
  path: string,
  { body, integration, signal: aborted }: ControlOptions = {},
): Promise<Value> {
  const checkScope = scopeCheck();
  const response = await callControl(path, integration, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
    ...(aborted && { signal: aborted }),
  }).catch(() => {
    throw new ControlError(0, t(NO_RESPONSE));
  });
  const value: unknown = await response.json().catch(() => null);
  if (method === "GET" && integration === undefined) checkScope();
  if (!response.ok) throw errorOf(response.status, value);
  return value as Value;
}

/** Calls a control route, or finds its response in the trace that this page is. */
export async function callControl(
  path: string,
  integration: string | null = scope.value,
  { method = "GET", headers, ...init }: ControlInit = {},
): Promise<Response> {
  if (trace) return answerFrom(trace, method, path, integration);
  const response = await fetch(`/_sandbox${path}`, {
    method,
    headers: { ...controlHeaders(integration), ...headers },
    ...init,
  });
  // The token has changed: when the page is opened, the browser asks for it.
  if (response.status === 401) location.reload();
  return response;
}

type ControlInit = Omit<RequestInit, "headers"> & { readonly headers?: Record<string, string> };

/** The error of a response, with the words of its body. */
export function errorOf(status: number, value: unknown): ControlError {
  return new ControlError(status, messageOf(value) ?? String(status));
}

export interface ControlOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default: the integration that the page shows. */
  readonly integration?: string | null;
  readonly signal?: AbortSignal;
}

const NO_RESPONSE = say`The sandbox does not respond.`;

function messageOf(value: unknown): string | undefined {
  const { message, errors } = (value ?? {}) as {
    message?: string;
    errors?: readonly { message: string }[];
  };
  return errors && errors.length > 0 ? errors.map((one) => one.message).join(" ") : message;
}
