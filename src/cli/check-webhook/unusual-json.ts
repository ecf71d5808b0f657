/**
 * Writes a value as JSON that no serializer writes, with the same meaning: spaces, another order of members,
 * trailing zeros, and escapes of characters that need none. Parsed and written again, it has other bytes.
 */
export function writeUnusually(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(writeUnusually).join(" ,")} ]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).toReversed();
    return `{ ${members.map(([name, one]) => `"${name}" : ${writeUnusually(one)}`).join(" ,\n\t")} }`;
  }
  if (typeof value === "number") return writeNumber(value);
  if (typeof value === "string") return writeText(value);
  return JSON.stringify(value);
}

function writeNumber(value: number): string {
  const text = JSON.stringify(value);
  if (text.includes("e")) return text;
  return text.includes(".") ? `${text}0` : text;
}

function writeText(value: string): string {
  return JSON.stringify(value)
    .replaceAll("/", String.raw`\/`)
    .replaceAll(".", String.raw`\u002e`);
}
