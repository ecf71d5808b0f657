import { escapeUnit } from "../text/plain/safe-text.ts";

/**
 * Writes a value as JSON that no serializer writes, with the same meaning: spaces, another order of members,
 * `10.50`, and escapes of characters that need none. Parsed and written again, it has other bytes.
 */
export function writeUnusually(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(writeUnusually).join(" , ")} ]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).toReversed();
    return `{ ${members.map(([name, one]) => `${JSON.stringify(name)} : ${writeUnusually(one)}`).join(" , ")} }`;
  }
  const text = JSON.stringify(value);
  if (typeof value === "string") return text.replaceAll(ESCAPED, escapeUnit);
  const hasDecimals = typeof value === "number" && /^-?\d+\.\d+$/.test(text);
  return hasDecimals ? `${text}0` : text;
}

/** All but printable ASCII, and two characters that serializers leave as they are. */
const ESCAPED = /[^ -~]|[./]/g;
