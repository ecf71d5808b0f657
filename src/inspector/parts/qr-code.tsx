import { create } from "qrcode/lib/core/qrcode.js";

/** Modules of white around the symbol, as the standard requires. */
const MARGIN = 4;

/** A QR code, black on white in every theme. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { modules } = create(text, { errorCorrectionLevel: "M" });
  const { size } = modules;
  const dark = Array.from({ length: size * size }, (_, index) => index)
    .filter((index) => modules.data[index])
    .map((index) => `M${(index % size) + MARGIN} ${Math.floor(index / size) + MARGIN}h1v1h-1z`)
    .join("");
  const side = size + 2 * MARGIN;
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} data-testid="qr">
      <rect width={side} height={side} fill="#fff" />
      <path d={dark} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
