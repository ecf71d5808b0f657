// The modules of undici that are bundled. Its main module would load fetch, WebSocket and a cache as well.

declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}

declare module "undici/lib/core/connect.js" {
  import type { Socket } from "node:net";
  import type { buildConnector } from "undici";
  export default function build(
    options: Partial<buildConnector.BuildOptions>,
  ): (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
}
