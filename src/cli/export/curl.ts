import { quotedPart, quotedWord } from "../../text/plain/shell-word.ts";
import { localize } from "../terminal/language.ts";
import { toSafeJson } from "../../text/plain/safe-text.ts";
import type { Export, ExportedStep } from "../../play/export/retell.ts";
import { say } from "../../text/message.ts";

/** Writes an export as a script for bash and curl. */
export function toCurl({ about, notes, steps }: Export): string {
  const integrations = 1 + Math.max(...steps.map(({ integration }) => integration));
  const tokens = Array.from({ length: integrations }, (_none, index) =>
    index === 0
      ? `TOKEN_1="\${PIX_SANDBOX_TOKEN:-sandbox-$RUN}"`
      : `TOKEN_${index + 1}="\${PIX_SANDBOX_TOKEN_${index + 1}:-sandbox-$RUN-${index + 1}}"`,
  );
  const comments = [about, ...notes].map((text) => `# ${localize(text)}`);
  return [
    "#!/usr/bin/env bash",
    ...comments,
    `# ${localize(say`Needs bash and curl. Each run uses new idempotency keys and a new integration.`)}`,
    "set -eu",
    'BASE="${PIX_SANDBOX_URL:-http://127.0.0.1:7490}"',
    'BASE="${BASE%/}"',
    'RUN="$(date +%s)-$$"',
    ...tokens,
    'WEBHOOK_URL="${WEBHOOK_URL:-$BASE/_sandbox/sink/export}"',
    "",
    FUNCTIONS,
    ...steps.flatMap((step, index) => ["", ...writeStep(step, index + 1)]),
    "",
    `echo ${quotedWord(localize(say`All ${steps.length} steps passed.`))}`,
  ].join("\n");
}

/** What the steps call. The names of files are never built from a response. */
const FUNCTIONS = String.raw`STEP=""
STATUS=""
ANSWER=""
fail() {
  printf 'FAILED: %s: %s\n%s\n' "$STEP" "$1" "$ANSWER" >&2
  exit 1
}
# send METHOD PATH [curl option...]: sets STATUS (000 if the response is lost) and ANSWER
send() {
  local method="$1" path="$2" code=0
  shift 2
  ANSWER="$(curl -sS --max-time 60 -X "$method" "$BASE$path" -w '\n%{http_code}' "$@" 2>/dev/null)" || code=$?
  STATUS="${"$"}{ANSWER##*$'\n'}"
  ANSWER="${"$"}{ANSWER%$'\n'*}"
  case "$code" in
    0) ;;
    52 | 56) STATUS=000 ;;
    *) fail "curl ended with $code; is a sandbox running at $BASE?" ;;
  esac
}
# gateway TOKEN KEY METHOD PATH [curl option...]
gateway() {
  local token="$1" key="$2" method="$3" path="$4"
  shift 4
  send "$method" "$path" -H "x-api-token: $token" -H 'x-provider-id: sandbox' -H 'x-provider: sandbox' \
    -H 'x-country-code: BR' -H "x-idempotency-key: $RUN-$key" -H 'content-type: application/json' "$@"
}
# control TOKEN METHOD PATH [curl option...]: an empty token acts on all integrations
control() {
  local token="$1" method="$2" path="$3"
  shift 3
  if [ -n "$token" ]; then set -- -H "x-api-token: $token" "$@"; fi
  if [ -n "${"$"}{PIX_SANDBOX_CONTROL_TOKEN:-}" ]; then
    set -- -H "authorization: Bearer $PIX_SANDBOX_CONTROL_TOKEN" "$@"
  fi
  send "$method" "/_sandbox$path" -H 'content-type: application/json' "$@"
}
status() { [ "$STATUS" = "$1" ] || fail "expected status $1, got $STATUS"; }
has() { case "$ANSWER" in *"$1"*) ;; *) fail "expected $1" ;; esac; }
id() { printf '%s' "$ANSWER" | grep -o '"id":"[^"]*"' | head -n 1 | sed 's/^"id":"//; s/"$//'; }
list() {
  local found
  found="$(printf '%s' "$ANSWER" | grep -oE "$1" | tr '\n' ' ' || true)"
  [ "$found" = "$2" ] || fail "expected the webhooks $2, got $found"
}
types() { list '"type":"[a-z._]+"' "$1"; }
webhooks() { list '"(type|status)":("[a-z._]+"|[0-9]+)' "$1"; }`;

function writeStep(step: ExportedStep, number: number): string[] {
  const { call, as, answer } = step;
  return [
    `STEP=${quotedWord(`${number}. ${call}`)}`,
    writeCall(step, number),
    ...writeExpectation(answer),
    ...(as === undefined ? [] : [`${as}="$(id)"`, `[ -n "$${as}" ] || fail "no id"`]),
  ];
}

function writeCall(step: ExportedStep, number: number): string {
  const { call, integration, body, key = `step_${number}`, fault } = step;
  const [method, path = ""] = call.split(" ");
  const target = path.replace(/^\/_sandbox/, "");
  const token = `"$TOKEN_${integration + 1}"`;
  return [
    target === path ? `gateway ${token} ${key}` : `control ${token}`,
    method,
    withVariables(target),
    ...(fault === undefined ? [] : ["-H", quotedWord(`x-sandbox-fault: ${fault}`)]),
    ...(body === undefined ? [] : writeBody(body)),
  ].join(" ");
}

/** Linux passes no argument of more than 128 KiB to a program. */
const MAX_ARGUMENT_BYTES = 100_000;

/** A large body goes through standard input: `printf` is built into the shell, so it has no such limit. */
function writeBody(body: unknown): string[] {
  const json = withVariables(toSafeJson(body));
  return Buffer.byteLength(json) > MAX_ARGUMENT_BYTES
    ? ["--data-binary", "@-", `< <(printf %s ${json})`]
    : ["--data-raw", json];
}

/** A reference, or two braces that begin none, as they stand in JSON. */
const REFERENCE = /\{\{(?:\\"\{\{\\"|(\w+)(?:\.data\.0)?\.\w+)\}\}/g;

/** A text in single quotes, between which the variables that it refers to stand in double ones. */
function withVariables(text: string): string {
  const filled = quotedPart(text).replaceAll(REFERENCE, (_all, name?: string) => {
    if (name === undefined) return "{{";
    return `'"$${name === "merchant" ? "WEBHOOK_URL" : name}"'`;
  });
  return `'${filled}'`;
}

function writeExpectation({ status, lost, body = {} }: ExportedStep["answer"]): string[] {
  if (lost) return ["status 000"];
  const { data, ...members } = body;
  return [
    `status ${status}`,
    ...Object.entries(members).map(
      ([name, value]) => `has ${withVariables(`${toSafeJson(name)}:${toSafeJson(value)}`)}`,
    ),
    ...(Array.isArray(data) ? [writeWebhooks(data as readonly ExpectedWebhook[])] : []),
  ];
}

interface ExpectedWebhook {
  readonly type: string;
  readonly status?: string;
  readonly attempts?: readonly { readonly status: number }[];
}

function writeWebhooks(webhooks: readonly ExpectedWebhook[]): string {
  const words = webhooks.flatMap(({ type, status, attempts = [] }) => [
    `"type":"${type}" `,
    ...(status === undefined ? [] : [`"status":"${status}" `]),
    ...attempts.map((attempt) => `"status":${attempt.status} `),
  ]);
  const isKnown = webhooks.every(({ status }) => status !== undefined);
  return `${isKnown ? "webhooks" : "types"} ${quotedWord(words.join(""))}`;
}
