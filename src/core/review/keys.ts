import { BoundedMap } from "./bounded-map.ts";
import type { SeenCreation, Watch } from "./observation.ts";
import { canonicalJson } from "./same-json.ts";
import type { Tally } from "./tally.ts";

/** How many keys are watched; the oldest is dropped first. */
const MAX_KEYS = 10_000;

/** Judges whether an idempotency key is used for one request only. */
export function keys(tally: Tally): Watch {
  /** The body of the first call of each key. The record has the same text: it takes no memory of its own. */
  const bodies = new BoundedMap<string, { readonly integration: string; readonly body: string }>(
    MAX_KEYS,
  );
  return {
    record: ({ noun, record: { integration, idempotencyKey, request } }) => {
      bodies.set(idOf(noun, integration, idempotencyKey), { integration, body: request });
    },
    creation: (call) => {
      if (call.outcome !== "repeated" && !call.isKeyRefused) return;
      const { integration, requestId, key, method, path, atMs } = call;
      if (!isOther(call, bodies.get(idOf(call.noun, integration, key))?.body))
        return tally.kept(integration, "key_reused_with_other_body");
      tally.broken(integration, "key_reused_with_other_body", requestId, {
        atMs,
        text: {
          en: `${requestId} (${method} ${path}) used the key ${key} of another request.`,
          pt: `${requestId} (${method} ${path}) usou a chave ${key} de outra requisição.`,
        },
        requestId,
        command: "pix-sandbox requests",
      });
    },
    reset: (integration) => {
      for (const [id, one] of bodies)
        if (integration === null || one.integration === integration) bodies.delete(id);
    },
  };
}

function idOf(noun: string, integration: string, key: string): string {
  return `${noun} ${integration} ${key}`;
}

/** Whether a call that used a key again differs from the first one, which is unknown after a restart. */
function isOther({ body, isKeyRefused }: SeenCreation, first: string | undefined): boolean {
  if (first === undefined) return isKeyRefused;
  return first !== body && canonicalJson(first) !== canonicalJson(body);
}
