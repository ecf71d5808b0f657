import terminal from "qrcode-terminal";

/** Draws a QR code with half blocks, for a terminal. */
export function drawQrCode(text: string): string {
  let drawn = "";
  terminal.generate(text, { small: true }, (picture) => {
    drawn = picture;
  });
  return drawn;
}
