import { control } from "./control.ts";
import { assumptions, secret } from "./sandbox.ts";

/** The secrets of integrations. */
const loaded = new Map<string, Promise<string>>();
/** What they were loaded under: the page's secret, which another sandbox changes, and the assumptions. */
let source: readonly unknown[] = [];

/** The secret that signs an integration's webhooks: a listed credential has its own. */
export function secretOf(integration: string): Promise<string> {
  const current = secretSource();
  if (current.some((value, index) => value !== source[index])) loaded.clear();
  source = current;
  let found = loaded.get(integration);
  if (!found) {
    found = control<{ secret: string }>("GET", "/secret", { integration }).then(
      (value) => value.secret,
    );
    found.catch(() => loaded.delete(integration));
    loaded.set(integration, found);
  }
  return found;
}

/** If any of these changes, {@link secretOf} can return another secret. */
export function secretSource(): readonly unknown[] {
  return [secret.value, assumptions.value];
}
