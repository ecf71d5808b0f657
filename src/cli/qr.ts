import terminal from "qrcode-terminal";

/** A QR code of half blocks, for a terminal. */
export function drawQrCode(text: string): string {
  let drawn = "";
  terminal.generate(text, { small: true }, (picture) => {
    drawn = picture;
  });
  return drawn;
}
