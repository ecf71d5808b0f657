import type { RequestListener } from "node:http";
import type { Context } from "../context/context.ts";

/** Loads h3 at the first call that needs it; if that fails, at the next one. */
export function lazyH3(context: Context): () => Promise<RequestListener> {
  let listener: RequestListener | undefined;
  return async () => {
    if (listener) return listener;
    const { createH3Listener } = await import("./h3.ts");
    return (listener ??= createH3Listener(context));
  };
}
