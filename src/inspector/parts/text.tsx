import { computed } from "@preact/signals";
import { isInCentavos } from "../state/sandbox.ts";
import { locale, t } from "../state/language.ts";
import { CopyButton } from "./copy.tsx";
import { toShortTime } from "./zone.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { say } from "../../text/message.ts";

/** An id by its first characters; the button copies the whole id. */
export function Id({ id, length = 8 }: { readonly id: string; readonly length?: number }) {
  return (
    <span class="id">
      <code title={id}>{shortId(id, length)}</code>
      <CopyButton text={id} label={t(say`Copy the id`)} />
    </span>
  );
}

/** A prefix such as `evt_` does not count. */
export function shortId(id: string, length = 8): string {
  const prefix = /^[a-z]{3,4}_/.exec(id)?.[0] ?? "";
  return id.slice(0, prefix.length + length);
}

/** A time of the sandbox's clock, in the zone that the page's top names. The tooltip has it in UTC, and the real time. */
export function Time({
  at,
  realAt,
  withDate = false,
}: {
  readonly at: string;
  readonly realAt?: string | undefined;
  readonly withDate?: boolean;
}) {
  return (
    <time dateTime={at} title={realAt === undefined ? at : `${at}\n${realTime(realAt)}`}>
      {toShortTime(Date.parse(at), withDate)}
    </time>
  );
}

function realTime(at: string): string {
  return t(say`real time: ${at}`);
}

/** An amount as money. */
export function Money({ value }: { readonly value: number }) {
  const reais = isInCentavos.value ? value / 100 : value;
  return <span class="money">{currency.value.format(reais)}</span>;
}

const currency = computed(
  () => new Intl.NumberFormat(locale(), { style: "currency", currency: "BRL" }),
);

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
