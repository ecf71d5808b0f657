/** The parts of the package that make the symbol and draw it as SVG. */
declare module "qrcode/lib/core/qrcode.js" {
  export { create } from "qrcode";
}
declare module "qrcode/lib/renderer/svg-tag.js" {
  import type { QRCode } from "qrcode";
  export function render(symbol: QRCode): string;
}
