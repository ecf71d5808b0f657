import type { Language } from "../text/languages.ts";

/** A gateway call as it was sent. The token is only a name for the caller: it is never the real one. */
export interface SentCall {
  /** When it was sent, in epoch milliseconds. */
  readonly atMs: number;
  readonly method: string;
  /** The path with the version, such as `/v1/payins`. */
  readonly path: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A call and its response. */
export interface Exchange extends SentCall {
  readonly response: Response;
  /** How long the response was waited for, where it matters when the gateway processed the call. */
  readonly tookMs?: number;
}

/** A webhook as it arrived. */
export interface SeenWebhook {
  readonly atMs: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How long the sender waited for a response that did not come. */
  heldMs?: number;
}

/** A value inside a body, by its path, such as `errors.0.code`. */
export type Members = ReadonlyMap<string, unknown>;

/** The members of a JSON text. The entries of `errors` are in the order of their fields: no order is documented. */
export function membersOf(text: string): Members {
  const members = new Map<string, unknown>();
  const add = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== "object" || value === null) return void members.set(path, value);
    if (depth === MAX_DEPTH) return void members.set(path, "…");
    const entries = Object.entries(path === "errors" ? sortedErrors(value) : value);
    if (entries.length === 0) members.set(path, Array.isArray(value) ? "[]" : "{}");
    for (const [name, one] of entries) add(one, path === "" ? name : `${path}.${name}`, depth + 1);
  };
  add(toJson(text), "", 0);
  return members;
}

/** A response can be nested deeper than calls of functions can be. */
const MAX_DEPTH = 32;

function sortedErrors(entries: object): object {
  if (!Array.isArray(entries)) return entries;
  const nameOf = (entry: unknown): string => textOf((Object(entry) as { field?: unknown }).field);
  return entries.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

/** The parsed text; the text itself if it is not JSON. */
export function toJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The `id` of a response or a webhook's transaction; undefined if it has none. */
export function idIn(body: string): string | undefined {
  const { id } = Object(toJson(body)) as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}

/** The gateway's error code; undefined for a success. */
export function codeIn({ status, body }: Response): string | undefined {
  if (status < 300) return undefined;
  const { code } = Object(toJson(body)) as { code?: unknown };
  return textOf(code);
}

/** The gateway's error code if it is a word, which is safe to show; otherwise empty. */
export function codeWord(response: Response): string {
  const code = codeIn(response) ?? "";
  return code !== "undefined" && /^\w{1,40}$/.test(code) ? code : "";
}

/** Not every value of JSON can be a string: `{"toString": 1}` cannot. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}

export function isRefused(exchange: Exchange | undefined): boolean {
  return exchange !== undefined && codeIn(exchange.response) !== undefined;
}

/** The fields that the entries of an error name. */
export function refusedFields({ body }: Response): readonly unknown[] {
  const members = [...membersOf(body)];
  return members.filter(([path]) => /^errors\.\d+\.field$/.test(path)).map(([, value]) => value);
}

/** How two values compare; `missing` if only one side has the member. */
export type Grade = "equal" | "equal_in_shape" | "different" | "missing";

/** A member that one side has, or both. */
export interface Graded {
  readonly path: string;
  readonly grade: Grade;
  readonly actual: unknown;
  readonly predicted: unknown;
}

/** Compares what a gateway sent with what the sandbox would send, member by member. */
export function gradeMembers(actual: Members, predicted: Members): Graded[] {
  return [...new Set([...actual.keys(), ...predicted.keys()])].map((path) => {
    const [one, other] = [actual.get(path), predicted.get(path)];
    const isMissing = !actual.has(path) || !predicted.has(path);
    const grade = isMissing ? "missing" : gradeMember(path, one, other);
    return { path, grade, actual: one, predicted: other };
  });
}

/**
 * The members of a response, and where its record was created: two ids differ, unless one call repeats another one.
 * @param all the bodies of the responses in order @param place of this one
 */
export function placedMembers(all: readonly string[], place: number): Map<string, unknown> {
  const members = new Map(membersOf(all[place] ?? ""));
  const id = idIn(all[place] ?? "");
  const first = all.findIndex((body) => idIn(body) === id);
  if (id !== undefined && first !== place) members.set("id of call", first);
  return members;
}

/**
 * Compares a member's values. Names such as codes must be equal. Other texts, such as ids, need only the same shape,
 * because each gateway draws its own.
 */
function gradeMember(path: string, one: unknown, other: unknown): Grade {
  if (one === other) return "equal";
  const [first, second] = [shapeOf(path, one), shapeOf(path, other)];
  const isSame = first === second || [first, second].includes(UNKNOWN_LANGUAGE);
  return isSame ? "equal_in_shape" : "different";
}

const EXACT = new Set(["code", "status", "type", "field", "idempotent-replayed"]);
const UNKNOWN_LANGUAGE = "a text in ?";

/** What must be equal of a member's value, without what is private. */
export function shapeOf(path: string, value: unknown): string {
  if (typeof value !== "string") return `${typeof value} ${String(value)}`;
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (EXACT.has(name) || path.startsWith("http ")) return JSON.stringify(value);
  if (name === "message") return `a text in ${languageOf(value) ?? "?"}`;
  if (name === "qr_code_base64") return `image ${/^(?:data:[^,]*,)?.{0,8}/.exec(value)?.[0] ?? ""}`;
  if (name === "qr_code") return `BR Code ${tagsOf(value)}`;
  if (name.endsWith("_at")) return /^\d{4}-\d\d-\d\dT/.test(value) ? "time" : "text";
  // The specification shows no other id's shape.
  if (path === "id" || path === "data.id") return UUID.test(value) ? "uuid" : "text";
  return "text";
}

/** The tags of a BR Code at its top level, such as 54 for an amount. */
function tagsOf(code: string): string {
  let tags = "";
  for (
    let at = 0;
    /^\d{4}/.test(code.slice(at, at + 4));
    at += 4 + Number(code.slice(at + 2, at + 4))
  )
    tags += `${code.slice(at, at + 2)} `;
  return tags;
}

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The language of a gateway's message, by its usual words; undefined if they do not show it. */
export function languageOf(text: string): Language | undefined {
  const count = (words: RegExp): number => text.match(words)?.length ?? 0;
  const [portuguese, english] = [count(PORTUGUESE), count(ENGLISH)];
  if (portuguese === english) return undefined;
  return portuguese > english ? "pt" : "en";
}

const PORTUGUESE =
  /[ãõçáéíóúâêô]|\b(?:que|se|em|ao|mais|confira|campos|espere|use|uma?|d[aeo]s?|n[ao]s?|foi|deve|ser|com|para|por|campo|valor|esta|este|sem|chave|erros?|obrigat\w+|inv[aá]lid[ao]s?|vazi[ao]|marcad[ao]|cobran\w+|requisi\w+|pagamento)\b/giu;
const ENGLISH =
  /\b(?:to|in|on|it|its|these|or|only|than|can|cannot|check|fields|wait|use|an?|the|is|are|was|has|have|must|be|by|of|with|for|not|no|this|that|and|already|invalid|required|empty|value|field|missing|key|errors?|marked|charge|request|payment|wrong)\b/gi;
