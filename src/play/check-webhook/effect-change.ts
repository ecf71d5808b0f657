/** What a payment changed in an effect, without what differs between two orders. */
export interface Change {
  /** All of it, as a text to compare. */
  readonly all: string;
  /** The same without numbers; empty if only numbers changed. */
  readonly words: string;
}

type Members = Readonly<Record<string, unknown>>;

/** A word, a number, or a placeholder. */
const TOKEN = /⟨\w+⟩|-?\d+(?:\.\d+)?|[\p{L}_]+/gu;
/** Ids, times, and what only a program reads differ between orders. */
const VARIABLE =
  /\b(?=\d*[a-z])(?=[a-z]*\d)[\da-z]{12,}\b|[\da-z+/]{60,}={0,2}|\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?|[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|\b1\d{12}\b/gi;
/** Shorter values are too common to be told apart. */
const LEAST_LENGTH = 6;

/** What changed between two effects of one order. */
export function changeOf(before: string, after: string, record: Members): Change {
  const [old, now] = [tokensOf(before, record), tokensOf(after, record)];
  const changes =
    old.length === now.length
      ? old.flatMap((token, place) => {
          const other = now[place] ?? "";
          return token === other ? [] : [describe(token, other)];
        })
      : [
          ...missing(old, now).map((one) => `-${one}`),
          ...missing(now, old).map((one) => `+${one}`),
        ];
  return {
    all: changes.join(" "),
    words: changes.filter((one) => /\p{L}/u.test(one)).join(" "),
  };
}

/** Whether an effect looks like that of an order that is paid or not, judged by an order that was paid. */
export function looksPaid(
  effect: string,
  record: Members,
  example: { readonly before: string; readonly after: string; readonly record: Members },
): boolean | undefined {
  const unpaid = tokensOf(example.before, example.record);
  const paid = tokensOf(example.after, example.record);
  const seen = tokensOf(effect, record);
  if (unpaid.length !== paid.length) {
    if (seen.length === paid.length) return true;
    return seen.length === unpaid.length ? false : undefined;
  }
  if (seen.length !== paid.length) return undefined;
  const changed = paid.flatMap((token, place) => (token === unpaid[place] ? [] : [place]));
  const words = changed.filter((place) => /\p{L}/u.test(paid[place] ?? ""));
  // A number can be a time. Without a word, all that changed has to tell.
  const places = words.length > 0 ? words : changed;
  if (places.every((place) => seen[place] === paid[place])) return true;
  return places.every((place) => seen[place] === unpaid[place]) ? false : undefined;
}

function tokensOf(effect: string, record: Members): string[] {
  // As PHP writes it in JSON.
  let text = effect.replaceAll(String.raw`\/`, "/");
  const values = Object.entries(record).flatMap(([name, value]) =>
    typeof value === "string" && value.length >= LEAST_LENGTH ? [{ name, value }] : [],
  );
  // One value can be a part of another, such as the id in the QR code.
  for (const { name, value } of values.toSorted((one, two) => two.value.length - one.value.length))
    text = text.replaceAll(value, `⟨${name}⟩`);
  return text.replaceAll(VARIABLE, "⟨variable⟩").match(TOKEN) ?? [];
}

function describe(old: string, now: string): string {
  const difference = Number(now) - Number(old);
  return Number.isNaN(difference) ? `${old}→${now}` : `+${Number(difference.toFixed(2))}`;
}

/** The tokens that another list does not have as often. */
function missing(tokens: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return tokens.filter((token) => {
    const place = left.indexOf(token);
    if (place < 0) return true;
    left.splice(place, 1);
    return false;
  });
}
