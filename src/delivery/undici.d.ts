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

declare module "undici/lib/core/symbols.js" {
  /** The part of a socket's parser that is used here. */
  export interface ResponseParser {
    /** Is called when the head of a response has been read. */
    onHeadersComplete: (status: number, isUpgrade: boolean, isKeepAlive: boolean) => number;
  }
  /** `kParser` is the property of a connected socket that has its parser. */
  const symbols: { readonly kParser: symbol };
  export default symbols;
}
