import { isInCentavos } from "../state/sandbox.ts";
import { language, locale, t } from "../state/language.ts";
import { toReais } from "../../text/languages.ts";
import { CopyButton } from "./copy.tsx";
import { millisecondsOf, otherDay, timeOfDay } from "./zone.ts";
import { maskAddresses, toSafeLine } from "../../text/plain/safe-text.ts";
import type { Pane } from "../state/place.ts";
import { type Message, say } from "../../text/message.ts";

/** What a record of a pane is called. */
export function recordNoun(pane: Pane): string {
  const noun = NOUNS[pane];
  return noun ? t(noun) : "Webhook";
}

const NOUNS: Readonly<Partial<Record<Pane, Message>>> = {
  payins: say.for("noun")`Payin`,
  payouts: say.for("noun")`Payout`,
  requests: say`Request`,
};

/** A text that the user may want elsewhere, such as an id; the button copies all of it. */
export function Copied({ text, label }: { readonly text: string; readonly label?: string }) {
  const shown = toSafeLine(text);
  return (
    <span class="id">
      <code class="cut" title={shown}>
        {shown}
      </code>
      <CopyButton text={text} label={label ?? t(say`Copy the id`)} />
    </span>
  );
}

/** A prefix such as `evt_` does not count. */
export function shortId(id: string, length = 8): string {
  const prefix = /^[a-z]{3,4}_/.exec(id)?.[0] ?? "";
  return id.slice(0, prefix.length + length);
}

/** A time of the sandbox's clock, in the browser's zone. The tooltip has it in UTC, and the real time. */
export function Time({
  at,
  realAt,
  hasMilliseconds = false,
}: {
  readonly at: string;
  readonly realAt?: string | undefined;
  readonly hasMilliseconds?: boolean;
}) {
  const atMs = Date.parse(at);
  const day = otherDay(atMs);
  return (
    <time dateTime={at} title={realAt === undefined ? at : `${at}\n${realTime(realAt)}`}>
      {day !== undefined && `${day}, `}
      {timeOfDay(atMs)}
      {hasMilliseconds && <span class="ms">{millisecondsOf(atMs)}</span>}
    </time>
  );
}

function realTime(at: string): string {
  return t(say`real time: ${at}`);
}

/** An amount as money. */
export function Money({ value }: { readonly value: number }) {
  return <span class="money">{moneyText(value)}</span>;
}

export function moneyText(value: number): string {
  return toReais(isInCentavos.value ? value / 100 : value, language.value);
}

/** A duration: `2.8 ms`, in Portuguese `2,8 ms`. */
export function milliseconds(ms: number): string {
  return `${new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 }).format(ms)} ms`;
}

/** A CPF as people write it; another text stays as it is. */
export function cpfText(cpf: string): string {
  return cpf.replace(/^(\d{3})(\d{3})(\d{3})(\d\d)$/, "$1.$2.$3-$4");
}

/** The host and path of an address, which say more than its scheme. */
export function shortAddress(url: string): string {
  return maskAddresses(url).replace(/^https?:\/\//, "");
}

/** An integration's name, which may be long; `all` if there is none. */
export function Integration(props: { readonly name: string | null; readonly all: string }) {
  const { name, all } = props;
  if (name === null) return <>{all}</>;
  return (
    <span class="anywhere">
      <Outside text={name} />
    </span>
  );
}

/** Text from outside: characters that are invisible or change the direction of text are made visible. */
export function Outside({ text }: { readonly text: string }) {
  return <bdi>{toSafeLine(text)}</bdi>;
}
