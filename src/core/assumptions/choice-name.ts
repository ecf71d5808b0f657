/** The positive integers that `<seconds>` stands for. */
export const POSITIVE_INTEGER = "[1-9][0-9]{0,14}";

/** Whether a text matches a choice's name, with a number in place of `<seconds>`. */
export function isWrittenAs(text: string, choice: string): boolean {
  const [before = "", name] = choice.split("<");
  if (name === undefined) return text === choice;
  return text.startsWith(before) && WHOLE_INTEGER.test(text.slice(before.length));
}

/** A choice's name with an integer in place of `<seconds>`. */
export function withInteger(choice: string, integer: number): string {
  return choice.replace(/<.*>$/, String(integer));
}

const WHOLE_INTEGER = new RegExp(`^${POSITIVE_INTEGER}$`);
