import { toBuffer, toString } from "qrcode";

/** The copy-and-paste code of a dynamic charge, under a host that cannot exist; the amount may be empty. */
export function brCode(pixId: string, provider: string, amount: string): string {
  const account = field("00", "br.gov.bcb.pix") + field("25", `gateway.example/qr/v2/${pixId}`);
  const code = [
    field("00", "01"),
    field("01", "12"),
    field("26", account),
    field("52", "0000"),
    field("53", "986"),
    amount === "" ? "" : field("54", amount),
    field("58", "BR"),
    field("59", folded(provider).slice(0, 25).trim() || "PIX SANDBOX"),
    field("60", "SAO PAULO"),
    field("62", field("05", "***")),
    "6304",
  ].join("");
  return code + crc(code);
}

/** The code as an image in base64. */
export async function qrImage(code: string, type: "png" | "svg"): Promise<string> {
  const image = type === "png" ? await toBuffer(code) : await toString(code, { type });
  return Buffer.from(image).toString("base64");
}

function field(id: string, value: string): string {
  return id + String(value.length).padStart(2, "0") + value;
}

function folded(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/[^ -~]/g, "")
    .trim();
}

/** CRC-16/CCITT-FALSE. */
function crc(text: string): string {
  let sum = 0xffff;
  for (const byte of Buffer.from(text)) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return sum.toString(16).toUpperCase().padStart(4, "0");
}
