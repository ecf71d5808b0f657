/** The part of the package that makes the symbol; the rest of it draws on canvases and files. */
declare module "qrcode/lib/core/qrcode.js" {
  export { create } from "qrcode";
}
