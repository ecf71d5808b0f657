/** Reads a number. Returns other texts unchanged, so that the gateway refuses them. */
export function readNumber(text: string): number | string {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}
