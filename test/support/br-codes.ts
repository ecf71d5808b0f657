import { crcOf } from "../../src/core/records/br-code-writer.ts";

export function toField(id: string, value: string): string {
  return id + String(value.length).padStart(2, "0") + value;
}

export function withCrc(text: string): string {
  return `${text}6304${crcOf(`${text}6304`)}`;
}

export function accountWith(id: string, value: string): string {
  return toField("00", "br.gov.bcb.pix") + toField(id, value);
}

/** The manual's dynamic code with some fields changed (undefined leaves one out), then some text. */
export function codeWith(
  changes: Record<string, string | undefined>,
  [found, replacement]: readonly [string, string] = ["", ""],
): string {
  const fields: Record<string, string | undefined> = {
    "00": "01",
    "01": "12",
    "26": accountWith("25", "pix.example.com/8b3da2f39a4140d1a91abd93113bd441"),
    "52": "0000",
    "53": "986",
    "58": "BR",
    "59": "Fulano de Tal",
    "60": "BRASILIA",
    "62": toField("05", "***"),
    ...changes,
  };
  const ids = Object.keys(fields).toSorted();
  const text = ids.map((id) => (fields[id] === undefined ? "" : toField(id, fields[id]))).join("");
  return withCrc(text.replace(found, replacement));
}
