import type { Page } from "../../wire/route-key.ts";
import { checkBrCode } from "./code-source.ts";
import { urlOption } from "../client/command-client.ts";
import type { Calls, ListKey } from "../../client/calls.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { isLikeBrCode, readBrCode } from "../../core/records/br-code.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, say } from "../../text/message.ts";
import { NOUNS } from "../../text/terms.ts";

/** The kinds of records that an id on the command line names. A transaction is a payin or a payout. */
export type IdKind = "payin" | "payout" | "transaction" | "webhook" | "fault" | "request";

type Client = Pick<Calls, "call" | "token" | "url">;

/** The members of a listed row that messages show. */
interface Row {
  readonly id: string;
  /** Of a payin, a payout or a webhook. */
  readonly status?: string;
  /** Of a payin or a payout. */
  readonly value?: number;
  /** Of a webhook. */
  readonly type?: string;
  /** Of a fault. */
  readonly effect?: string;
  readonly created_at?: string;
  readonly qr_code?: string;
}

/**
 * The id that an argument means: a whole id, the unique beginning of one, `last` for the newest, or a payin's BR
 * Code. Capital letters are accepted too. A whole id is not looked up. With a token, only records of that integration count.
 * @throws CliError for an unknown or ambiguous one
 */
export async function resolveId(client: Client, kind: IdKind, given: string): Promise<string> {
  // Some tables end a shortened id with an ellipsis.
  const code = given.trim().replace(/…$/, "");
  if (hasCodes(kind) && isLikeBrCode(code)) return findByCode(client, code);
  const text = code.toLowerCase();
  if (WHOLE_ID.test(text)) return text;
  const { lists } = KINDS[kind];
  const read = async (query: object): Promise<readonly Row[]> => {
    const pages = await Promise.all(
      lists.map((list) => client.call(list, { order: "desc", ...query }) as Promise<Page<Row>>),
    );
    return pages
      .flatMap(({ data }) => data)
      .toSorted((one, other) => (other.created_at ?? "").localeCompare(one.created_at ?? ""));
  };
  if (text === "last") {
    const [newest] = await read({ limit: 1 });
    if (newest) return newest.id;
    throw notFound(none(KINDS[kind], client), kind, client);
  }
  if (text.replace(/^(?:evt|flt)_/, "").length < MIN_LENGTH) throw tooShort(text);
  const [found, ...others] = await read({ limit: MAX_SHOWN + 1, prefix: text });
  if (!found) throw notFound(unknown(KINDS[kind], text), kind, client);
  if (others.length > 0) throw ambiguous(text, [found, ...others]);
  return found.id;
}

/** A UUID, or the id of a webhook, a fault or a request. */
const WHOLE_ID = /^(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?:evt|flt)_[\da-f]{32}|req_\d+)$/;
const MIN_LENGTH = 4;
const MAX_SHOWN = 10;

interface Kind {
  /** The control routes that list them. */
  readonly lists: readonly Extract<ListKey, `GET /${string}s`>[];
  readonly noun: Message;
  /** The commands that list them. */
  readonly commands: readonly string[];
}

const KINDS: Readonly<Record<IdKind, Kind>> = {
  payin: {
    lists: ["GET /payins"],
    noun: NOUNS.payin,
    commands: ["payin list"],
  },
  payout: {
    lists: ["GET /payouts"],
    noun: NOUNS.payout,
    commands: ["payout list"],
  },
  transaction: {
    lists: ["GET /payins", "GET /payouts"],
    noun: say`payin or payout`,
    commands: ["payin list", "payout list"],
  },
  webhook: {
    lists: ["GET /deliveries"],
    noun: say`webhook`,
    commands: ["webhooks list"],
  },
  request: {
    lists: ["GET /requests"],
    noun: say`request`,
    commands: ["requests"],
  },
  fault: { lists: ["GET /faults"], noun: say`fault`, commands: ["faults"] },
};

export function idHelp(kind: IdKind): string {
  const { noun } = KINDS[kind];
  return hasCodes(kind)
    ? localize(say`the ${noun}: its id, a unique beginning of it, last, or its BR Code`)
    : localize(say`the ${noun}: its id, a unique beginning of it, or last`);
}

/** Only payins have BR Codes. */
function hasCodes(kind: IdKind): boolean {
  return KINDS[kind].lists.includes("GET /payins");
}

async function findByCode(client: Client, code: string): Promise<string> {
  const { location = "" } = checkBrCode(code);
  const pix_id = location.slice(location.lastIndexOf("/") + 1);
  const { data } = await client.call("GET /payins", { pix_id });
  const found = data.find(({ qr_code: own }) => readBrCode(own).location === location);
  if (found) return found.id;
  const text = say`No payin has this BR Code.`;
  throw notFound(text, "payin", client);
}

function ambiguous(text: string, rows: readonly Row[]): CliError {
  const shown = rows.slice(0, MAX_SHOWN).map(({ id, type, effect, status, value }) => {
    const members = [id, type, effect, status, value].filter((member) => member !== undefined);
    return `  ${toSafeLine(members.join("  "))}`;
  });
  if (rows.length > MAX_SHOWN) shown.push(localize(say`  … and more`));
  const advice = localize(say`Use more characters of the id.`);
  const message = localize(say`Several ids begin with ${JSON.stringify(text)}:`);
  return new CliError(EXIT.usage, "AMBIGUOUS_ID", message, [...shown, advice].join("\n"));
}

function tooShort(text: string): CliError {
  const shown = JSON.stringify(text);
  return new CliError(
    EXIT.notFound,
    "NOT_FOUND",
    say`No record has the id ${shown}.`,
    say`Use the whole id, at least ${MIN_LENGTH} characters of its beginning, or "last".`,
  );
}

function notFound(text: Message, kind: IdKind, { url }: Client): CliError {
  const commands = KINDS[kind].commands.map((line) => `${PROGRAM} ${line}${urlOption(url)}`);
  const lines = commands.join("; ");
  const hint = say`List them with: ${lines}`;
  return new CliError(EXIT.notFound, "NOT_FOUND", text, hint);
}

function none({ noun }: Kind, { token }: Client): Message {
  return token === null
    ? say`There is no ${noun} yet.`
    : say`The integration ${JSON.stringify(token)} has no ${noun} yet.`;
}

function unknown({ noun }: Kind, text: string): Message {
  const shown = JSON.stringify(text);
  return say`There is no ${noun} whose id begins with ${shown}.`;
}
