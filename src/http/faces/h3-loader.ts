import type { Context } from "../context/context.ts";
import type { H3Face } from "./h3.ts";

/** Loads h3 at the first call that needs it; if that fails, at the next one. */
export function lazyH3(context: Context): () => Promise<H3Face> {
  let face: H3Face | undefined;
  return async () => {
    if (face) return face;
    const { createH3Face } = await import("./h3.ts");
    return (face ??= createH3Face(context));
  };
}
