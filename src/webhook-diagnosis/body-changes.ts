import { newPayin, newPayout, toWebhookData } from "../core/records/transaction.ts";
import { escapeUnit } from "../text/plain/safe-text.ts";
import { type Message, say } from "../text/message.ts";

/** A body that may have been signed, and what happened to it afterwards. */
export interface EarlierBody {
  readonly change: Message;
  readonly body: string | Buffer;
}

/** Guesses what a body was before a program changed it. */
export function* earlierBodies(text: string): Generator<EarlierBody> {
  yield { change: LINE_BREAK_ADDED, body: text.replace(/\r?\n$/, "") };
  yield { change: LINE_BREAK_REMOVED, body: `${text}\n` };
  yield { change: BOM_ADDED, body: text.replace(/^\ufeff/, "") };
  yield { change: CRLF, body: text.replaceAll("\r\n", "\n") };
  yield { change: SPACES_ADDED, body: text.replaceAll("\r\n", "\n").trim() };
  yield { change: READ_AS_LATIN_1, body: Buffer.from(text, "latin1") };
  const value = parse(text);
  if (typeof value === "string") yield { change: STRINGIFIED, body: value };
  const style = STYLES.find(({ write }) => tryTo(() => write(value)) === text.trim());
  for (const body of serializations(value)) yield { change: style?.change ?? RESERIALIZED, body };
  for (const model of webhookModels())
    for (const body of serializations(orderLike(value, model)))
      yield { change: MEMBERS_REORDERED, body };
}

const LINE_BREAK_ADDED = say`a line break was added at its end`;
const LINE_BREAK_REMOVED = say`the line break at its end was removed`;
const BOM_ADDED = say`a byte order mark was added`;
const CRLF = say`its line breaks were changed to CRLF`;
const SPACES_ADDED = say`spaces or a byte order mark were added`;
const READ_AS_LATIN_1 = say`its UTF-8 was read as Latin-1`;
const STRINGIFIED = say`it was serialized again, as a JSON string`;
const RESERIALIZED = say`it was parsed and serialized again with different spaces, escapes or numbers`;
const MEMBERS_REORDERED = say`it was parsed and serialized again with its members in another order`;

/** How common programs serialize JSON. */
const STYLES: readonly {
  readonly change: Message;
  readonly write: (value: unknown) => string;
}[] = [
  {
    change: say`it was parsed and serialized again without spaces, as JSON.stringify does`,
    write: (value) => JSON.stringify(value),
  },
  {
    change: say`it was parsed and serialized again with spaces, as Python's json.dumps does`,
    write: (value) => toAscii(withSpaces(value)),
  },
  {
    change: say`it was parsed and serialized again with spaces, as json.dumps with ensure_ascii=False does`,
    write: withSpaces,
  },
  {
    change: say`it was parsed and serialized again with escaped slashes, as PHP's json_encode does`,
    write: (value) => toAscii(JSON.stringify(value)).replaceAll("/", String.raw`\/`),
  },
  {
    change: say`it was parsed and serialized again with an indent of 2, as jq does`,
    write: (value) => JSON.stringify(value, null, 2),
  },
];

function withSpaces(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/,\n */g, ", ").replace(/\n */g, "");
}

function toAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, escapeUnit);
}

/** @returns undefined if the text is not JSON. */
function parse(text: string): unknown {
  return tryTo(() => JSON.parse(text.trim()) as unknown);
}

/** A value in each of the styles, with and without a line break at the end. */
function* serializations(value: unknown): Generator<string> {
  if (value === undefined) return;
  for (const { write } of STYLES) {
    const written = tryTo(() => write(value));
    // It is nested too deeply to be a webhook.
    if (written === undefined) return;
    yield written;
    yield `${written}\n`;
  }
}

function tryTo<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A webhook of a payin and one of a payout, for the order of their members. */
function webhookModels(): unknown[] {
  const buyer = { buyer_cpf: "", buyer_name: "", buyer_email: "" };
  const receiver = { receiver_cpf: "", receiver_name: "", receiver_email: "" };
  const [value, description, webhook_url] = [1, "", ""];
  const added = {
    integration: "",
    nowMs: 0,
    ids: { id: "", pix_id: "", acquirer_id: "" },
    qr_code: "",
  };
  const payin = { value, description, ...buyer, webhook_url, generate_qrcode: true, expiration: 0 };
  const key = { pix_key: "", pix_key_type: "cpf" } as const;
  const payout = { value, description, ...receiver, webhook_url, ...key };
  return [newPayin(payin, added), newPayout(payout, added)].map((record) => ({
    id: "",
    type: "",
    created_at: "",
    data: toWebhookData(record),
  }));
}

/** The value with its members in the order of the model's; members that the model lacks come last. */
function orderLike(value: unknown, model: unknown): unknown {
  if (!isObject(value) || !isObject(model)) return value;
  const names = new Set([...Object.keys(model), ...Object.keys(value)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => Object.hasOwn(value, name))
      .map((name) => [name, orderLike(value[name], model[name])]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
