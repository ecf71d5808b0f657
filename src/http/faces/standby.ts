import { toUrl } from "../../wire/url.ts";
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import https from "node:https";
import { STANDARD_ASSUMPTIONS, withChanges } from "../../core/assumptions/table.ts";
import { untraced } from "../../core/assumptions/trace.ts";
import { VERSION } from "../../wire/version.ts";
import { type Answer, toAnswer, toControlAnswer } from "../calls/answer.ts";
import { toErrorAnswer } from "../calls/envelope.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import { checkOrigin, type OriginSettings, parseTarget } from "../context/origin.ts";
import { requestedLanguage } from "../calls/headers.ts";
import { NodeCall, send, toCallUrl } from "./node.ts";
import { type Message, say } from "../../text/message.ts";
import type { Language } from "../../text/languages.ts";

/** What a process needs to answer while another one leads. */
export interface Standby {
  /** The address of the leader, as far as it is known. */
  leaderAddress(): string | null;
  /** Whether calls are passed on to the leader. */
  readonly isForwarding: boolean;
  readonly origins: OriginSettings;
  readonly language: Language;
}

/** Marks a call that a standby has passed on: the next one does not pass it on again. */
const FORWARDED = "x-sandbox-forwarded";

/** Answers as a standby: the health check itself, everything else with the leader's address, or the leader's response. */
export function standbyListenerOf(standby: Standby): RequestListener {
  return (request, response) => {
    const { url = "" } = request;
    const [path = ""] = url.split("?");
    // Load balancers ask with HEAD too.
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && path === "/_sandbox/health")
      return respond(response, toAnswer({ status: "ok", version: VERSION, role: "standby" }));
    if (isRead && path === "/_sandbox/ready")
      return respond(response, toAnswer({ ready: false, version: VERSION, role: "standby" }, 503));
    const leader = standby.leaderAddress();
    try {
      const call = new NodeCall(request, response, toCallUrl(url));
      checkOrigin(call, parseTarget(url)?.authority, standby.origins);
      if (standby.isForwarding && isHttp(leader) && request.headers[FORWARDED] === undefined)
        return forward(request, response, leader, () => refuse(request, response, standby));
    } catch (error) {
      return respond(response, toRefusal(request, error, standby));
    }
    refuse(request, response, standby);
  };
}

/** Whether calls can be passed on to an address. It comes from the database, where anything may stand. */
function isHttp(leader: string | null): leader is string {
  return leader !== null && /^https?:$/.test(toUrl(leader)?.protocol ?? "");
}

function respond(response: ServerResponse, answer: Answer): void {
  const isControl = response.req.url?.startsWith("/_sandbox") ?? false;
  send(response, isControl ? toControlAnswer(answer) : answer);
}

function refuse(request: IncomingMessage, response: ServerResponse, standby: Standby): void {
  request.resume();
  const text = isStandby(standby.leaderAddress());
  respond(
    response,
    toRefusal(request, new HttpRefusal(503, "EXTERNAL_ERROR", text, RETRY), standby),
  );
}

const RETRY = { headers: { "retry-after": "1" } };

function toRefusal(request: IncomingMessage, error: unknown, { language }: Standby): Answer {
  const assumptions = withChanges(STANDARD_ASSUMPTIONS, { "error.language": language });
  const format = request.url?.startsWith("/v2/") ? "problem" : "envelope";
  return toErrorAnswer(error, untraced(assumptions), format, requestedLanguage(request));
}

function isStandby(leader: string | null): Message {
  if (leader === null)
    return say`This process is a standby, and no process leads now. Try again in a moment.`;
  return say`This process is a standby. Call the leader: ${leader}. A load balancer finds it with GET /_sandbox/ready.`;
}

/** Headers that concern one connection only. */
const OF_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** How long the connection to a leader may take: it may be gone. */
const CONNECT_MS = 2000;

/**
 * Passes a call on, with its own Host header, and the response back, both as they arrive.
 * @param onUnreachable answers if the leader cannot be reached
 */
function forward(
  request: IncomingMessage,
  response: ServerResponse,
  leader: string,
  onUnreachable: () => void,
): void {
  const { protocol, hostname, port } = new URL(leader);
  const client = protocol === "https:" ? https : http;
  const headers = [...passedOn(request.rawHeaders), FORWARDED, "1"];
  if (request.headers["transfer-encoding"] !== undefined)
    headers.push("transfer-encoding", "chunked");
  const passed = client.request({
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port,
    method: request.method,
    path: request.url,
    headers: headers as unknown as Record<string, string>,
  });
  passed.setTimeout(CONNECT_MS, () => {
    if (passed.socket?.connecting ?? true) passed.destroy(new Error("timeout"));
  });
  passed.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedOn(answer.rawHeaders));
    answer.on("error", () => response.destroy());
    answer.pipe(response);
  });
  passed.on("error", () => {
    if (response.headersSent) response.destroy();
    else onUnreachable();
  });
  response.on("close", () => passed.destroy());
  request.on("error", () => passed.destroy());
  request.pipe(passed);
}

function passedOn(raw: readonly string[]): string[] {
  const headers: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const [name = "", value = ""] = raw.slice(index);
    if (!OF_CONNECTION.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}
