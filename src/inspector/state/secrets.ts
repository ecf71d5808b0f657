import { control } from "./control.ts";
import { secret } from "./sandbox.ts";

/** The secrets of integrations. */
const loaded = new Map<string, Promise<string>>();

/** The secret that signs an integration's webhooks: a listed credential has its own. */
export function secretOf(integration: string): Promise<string> {
  // Another secret of the page means that another sandbox runs at its address.
  const key = JSON.stringify([secret.value, integration]);
  let found = loaded.get(key);
  if (!found) {
    found = control<{ secret: string }>("GET", "/secret", { integration }).then(
      (value) => value.secret,
    );
    found.catch(() => loaded.delete(key));
    loaded.set(key, found);
  }
  return found;
}
