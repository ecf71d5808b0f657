import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import type { Sandbox } from "../../src/index.ts";
import type { Merchant } from "../support/merchant.ts";

/** The addresses in the pictures: both servers have another port in each run. */
const SANDBOX = "127.0.0.1:7490";
const MERCHANT = "localhost:3000";

/** The waits before the attempts of a webhook in the pictures; attempts have real times. */
const ATTEMPT_AFTER_MS = [18, 1_046, 6_081, 31_127, 96_403];
const DURATIONS_MS = [7, 12, 9, 23, 5, 14];

interface Attempt {
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Makes what differs from run to run the same: ports, real times and durations. The page's own clock stands still.
 * @returns the origin to open
 */
export async function showSteadily(
  page: Page,
  sandbox: Sandbox,
  merchant: Merchant,
): Promise<string> {
  const { port } = sandbox;
  const steady = (text: string): string =>
    text
      .replaceAll(`127.0.0.1:${port}`, SANDBOX)
      .replaceAll(`127.0.0.1:${merchant.port}`, MERCHANT);
  await page.clock.setFixedTime(sandbox.clock.nowMs());
  await page.route("**/*", async (route) => {
    const url = new URL(route.request().url());
    url.port = String(port);
    // The stream of events has no end.
    if (url.pathname === "/_sandbox/events") return route.continue({ url: url.href });
    const { origin, ...others } = route.request().headers();
    const headers = origin === undefined ? others : { ...others, origin: url.origin };
    const response = await route.fetch({ url: url.href, headers, maxRedirects: 0 });
    const isJson = response.headers()["content-type"]?.startsWith("application/json");
    if (!isJson) return route.fulfill({ response });
    const value = JSON.parse(steady(await response.text())) as unknown;
    return route.fulfill({
      response,
      body: JSON.stringify(withSteadyTimes(value, sandbox.secret)),
    });
  });
  return `http://${SANDBOX}`;
}

interface Row {
  readonly id?: string;
  readonly created_at?: string;
  readonly body?: string;
  readonly data?: unknown;
  readonly attempts?: readonly Attempt[];
}

/** The same with repeatable times of attempts, their signatures, and durations. */
function withSteadyTimes(value: unknown, secret: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withSteadyTimes(one, secret));
  if (typeof value !== "object" || value === null) return value;
  const row = value as Row;
  if (Array.isArray(row.data)) return { ...row, data: withSteadyTimes(row.data, secret) };
  if (Array.isArray(row.attempts)) {
    const { id = "", body = "", created_at = "", attempts } = row;
    return {
      ...row,
      attempts: attempts.map((attempt, index) => {
        const at = new Date(Date.parse(created_at) + (ATTEMPT_AFTER_MS[index] ?? 0));
        return {
          ...attempt,
          at: at.toISOString(),
          duration_ms: durationOf(`${id}${index}`),
          headers: {
            ...attempt.headers,
            "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
            "webhook-signature": new Webhook(secret).sign(id, at, body),
          },
        };
      }),
    };
  }
  return "duration_ms" in row ? { ...row, duration_ms: durationOf(row.id ?? "") / 5 } : row;
}

function durationOf(id: string): number {
  const sum = [...Buffer.from(id)].reduce((before, byte) => before + byte, 0);
  return DURATIONS_MS[sum % DURATIONS_MS.length] ?? 0;
}
