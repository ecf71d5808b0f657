import { t } from "../state/language.ts";
import { type Message, say } from "../../text/message.ts";

/** What a status is of: some languages have a word for each. */
export type Noun = "payin" | "payout" | "webhook";

/** A status by word and shape, so that it can be read without colors. */
export function Status(props: {
  readonly of: Noun;
  readonly status: string;
  /** Whether it stands beside a heading, with the word of the wire after it where that is another one. */
  readonly isChip?: boolean;
}) {
  const { of, status, isChip = false } = props;
  const word = statusWord(of, status);
  return (
    <span class={`status ${toneOf(status)} ${isChip ? "chip" : ""}`} data-testid="status">
      <Shape status={status} /> {word}
      {isChip && word !== status && <code> {status}</code>}
    </span>
  );
}

/** The shape of a status, in its colour. */
export function Shape({ status }: { readonly status: string }) {
  return (
    <span class={toneOf(status)} aria-hidden="true">
      {LOOKS[status]?.shape ?? "•"}
    </span>
  );
}

export function statusWord(of: Noun, status: string): string {
  const word = (WORDS[of] as Readonly<Record<string, Message>>)[status];
  return word ? t(word) : status;
}

export function toneOf(status: string): string {
  return LOOKS[status]?.tone ?? "over";
}

const LOOKS: Readonly<Record<string, { readonly shape: string; readonly tone: string }>> = {
  waiting: { shape: "○", tone: "open-tone" },
  pending: { shape: "○", tone: "open-tone" },
  sending: { shape: "◐", tone: "busy" },
  paid: { shape: "●", tone: "good" },
  completed: { shape: "●", tone: "good" },
  delivered: { shape: "●", tone: "good" },
  canceled: { shape: "✕", tone: "over" },
  failed: { shape: "✕", tone: "bad" },
  expired: { shape: "◇", tone: "over" },
};

const WORDS = {
  payin: {
    waiting: say.for("payin")`waiting`,
    paid: say.for("payin")`paid`,
    completed: say.for("payin")`completed`,
    canceled: say.for("payin")`canceled`,
    expired: say.for("payin")`expired`,
  },
  payout: {
    waiting: say.for("payout")`waiting`,
    completed: say.for("payout")`completed`,
    canceled: say.for("payout")`canceled`,
  },
  webhook: {
    pending: say.for("webhook")`pending`,
    sending: say.for("webhook")`sending`,
    delivered: say.for("webhook")`delivered`,
    failed: say.for("webhook")`failed`,
  },
};
