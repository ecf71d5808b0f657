/** A number where it is one; the text as it stands otherwise, for the gateway to refuse with its own words. */
export function readNumber(text: string): number | string {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}
