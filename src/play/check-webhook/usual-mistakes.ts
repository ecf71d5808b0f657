import { isDistrust } from "../../review/webhook-answer.ts";
import { authenticate, sign, toSecret, withoutPrefix } from "../../webhook-diagnosis/signature.ts";
import { type SignedWebhook, signBody, type WebhookEvent } from "../hand-made-webhook.ts";
import { escapeUnit } from "../../text/plain/safe-text.ts";
import type { Control } from "./control.ts";
import type { Handler } from "./handler.ts";
import { newEventId, signEvent } from "./webhook.ts";
import { type Message, say } from "../../text/message.ts";

/** The likely language of a handler, by what it says it runs on. */
const LANGUAGES = {
  python: /python|werkzeug|gunicorn|uvicorn|hypercorn|waitress|daphne/i,
  php: /php|laravel|symfony/i,
  javascript: /./,
} as const;
type Language = keyof typeof LANGUAGES;

/** A usual mistake of handlers that refuse valid signatures. */
interface UsualMistake {
  /** What such a handler verifies. */
  readonly what: Message;
  /** The line that mends it, in each language that it can be made in. */
  readonly line: Partial<Readonly<Record<Language, string>>>;
  /** Signs an event so that such a handler accepts it. */
  readonly sign: (event: WebhookEvent, secret: string) => SignedWebhook;
}

const DECODE: UsualMistake["line"] = {
  python: 'key = base64.b64decode(secret.removeprefix("whsec_"))',
  php: "$key = base64_decode(substr($secret, strlen('whsec_')));",
  javascript: 'const key = Buffer.from(secret.replace("whsec_", ""), "base64");',
};

const RAW_BYTES: Readonly<Record<Language, string>> = {
  python: "body = request.get_data()  # the raw bytes",
  php: "$body = file_get_contents('php://input'); // the raw bytes",
  javascript:
    'app.post("/webhooks", express.raw({ type: "application/json" }), handler); // before express.json()',
};

const MISTAKES: readonly UsualMistake[] = [
  {
    what: say`the body as Python's json.dumps writes it, not the bytes that were sent`,
    line: { python: RAW_BYTES.python },
    sign: (event, secret) => signedAs(event, secret, spaced(event)),
  },
  {
    what: say`the body as JSON with an indentation of two, not the bytes that were sent`,
    line: RAW_BYTES,
    sign: (event, secret) => signedAs(event, secret, JSON.stringify(event, null, 2)),
  },
  {
    what: say`the body as PHP's json_encode writes it, not the bytes that were sent`,
    line: { php: RAW_BYTES.php },
    sign: (event, secret) =>
      signedAs(event, secret, asciiOf(JSON.stringify(event)).replaceAll("/", String.raw`\/`)),
  },
  {
    what: say`with the text after whsec_ as the key, not its decoded base64`,
    line: DECODE,
    sign: (event, secret) => signEvent(event, toSecret(Buffer.from(withoutPrefix(secret)))),
  },
  {
    what: say`with the text of the whole secret as the key, not the decoded base64 after whsec_`,
    line: DECODE,
    sign: (event, secret) => signEvent(event, toSecret(Buffer.from(secret))),
  },
  {
    what: say`the body alone, without id and timestamp`,
    line: {
      python: 'content = f"{id}.{timestamp}.".encode() + body',
      php: '$content = "$id.$timestamp.$body";',
      // oxlint-disable-next-line no-template-curly-in-string -- it is the merchant's code.
      javascript: "const content = `${id}.${timestamp}.${body}`;",
    },
    sign: (event, secret) => {
      const webhook = signEvent(event, secret);
      const key = Buffer.from(withoutPrefix(secret), "base64");
      return { ...webhook, signature: `v1,${authenticate(key, webhook.body)}` };
    },
  },
  {
    what: say`a timestamp in milliseconds, not in seconds`,
    line: {
      python: "is_recent = abs(time.time() - int(timestamp)) <= 300",
      php: "$isRecent = abs(time() - (int) $timestamp) <= 300;",
      javascript: "const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;",
    },
    sign: (event, secret) => {
      const { id, body, timestamp: seconds } = signEvent(event, secret);
      const timestamp = seconds * 1000;
      return { id, body, timestamp, signature: sign(secret, id, timestamp, body) };
    },
  },
];

/** Finds out which usual mistake a handler makes that takes a valid signature for a wrong one. */
export async function explainRefusal(
  handler: Handler,
  { event, secret, outcome }: Control,
): Promise<Message | undefined> {
  if (!isDistrust(outcome.status)) return undefined;
  for (const mistake of MISTAKES) {
    const webhook = mistake.sign({ ...event, id: newEventId() }, secret);
    const { status } = await handler.post(webhook);
    if (status === null || status >= SERVER_ERROR) return undefined;
    // It may not know the transaction, and say so only now.
    if (isDistrust(status)) continue;
    return explain(mistake, handler);
  }
  return undefined;
}

/** Names the mistake of a handler that accepts the sandbox's JSON, but not the same written differently. */
export function explainReserialised(handler: Handler): Message {
  const what = say`the body as it writes it itself, not the bytes that were sent`;
  return explain({ what, line: RAW_BYTES }, handler);
}

function explain(
  { what, line }: Pick<UsualMistake, "what" | "line">,
  { software }: Handler,
): Message {
  const likely = Object.entries(LANGUAGES).find(([, of]) => of.test(`${software} `))?.[0];
  const shown = line[likely as Language] ?? Object.values(line)[0] ?? "";
  return say`The handler verifies ${what}. This line mends it: ${shown}`;
}

const SERVER_ERROR = 500;

/** The event as the sandbox writes it, with the signature of another text. */
function signedAs(event: WebhookEvent, secret: string, text: string): SignedWebhook {
  return { ...signBody(event.id, text, secret), body: JSON.stringify(event) };
}

/** JSON with blanks after commas and colons, and only ASCII. */
function spaced(value: unknown): string {
  const lines = JSON.stringify(value, undefined, 1);
  return asciiOf(lines.replaceAll(/,\n */g, ", ").replaceAll(/\n */g, ""));
}

function asciiOf(json: string): string {
  return json.replaceAll(/[^ -~]/g, escapeUnit);
}
