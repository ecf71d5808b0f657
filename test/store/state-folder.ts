import { toIso } from "../../src/wire/timestamp.ts";
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, vi } from "vitest";
import { withAttempt } from "../../src/core/records/delivery.ts";
import { type Store } from "../../src/core/state/ports.ts";
import type { Lists } from "../../src/core/state/records.ts";
import { openStateFile } from "../support/state.ts";
import { assume, attempt, delivery, payin, payout, START_MS } from "../support/core.ts";
import { isLock } from "../support/lock.ts";

export const IDENTITY = { seed: "42", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };

/** One of everything that there is to remember. */
export const EVERYTHING: Required<Lists> = {
  transactions: [
    payin({
      id: "payin 1",
      key: "__proto__",
      description: 'Açaí 😀 \u2028 "quoted" \\',
    }),
    payin({
      id: "payin 2",
      status: "paid",
      ordinal: 2,
      settled_at: toIso(START_MS),
      end_to_end_id: "E1",
    }),
    payout({ id: "payout 1", integration: "other" }),
  ],
  deliveries: [
    withAttempt(
      delivery({ transactionId: "payin 2", body: '{"name":"José"}' }),
      attempt({
        status: null,
        error: "ECONNREFUSED 127.0.0.1:9999",
        response: null,
      }),
      assume(),
      START_MS,
    ),
  ],
  webhookConfigurations: [
    {
      integration: "shop",
      webhook_url: "http://localhost:3000/",
      events: ["payment.received", "payment.failed"],
    },
  ],
  changedAssumptions: [
    { integration: null, changes: { "error.language": "pt" } },
    { integration: "shop", changes: { "payout.rival": "allow", "webhook.timeout_seconds": 3 } },
  ],
  faults: [],
  faultOrdinals: [{ integration: "shop", ordinal: 3 }],
  clock: [{ mode: "real", offsetMs: 5000 }],
  identity: [IDENTITY],
};

export let folder: string;
export let file: string;
export const open: Store[] = [];

/** What a process would find that takes the file over without this one having closed it. */
export async function openCopy(): Promise<Store> {
  const copies = path.join(folder, `copy ${open.length}`);
  await mkdir(copies);
  for (const name of await readdir(folder)) {
    if (name.startsWith("state.json") && !isLock(name))
      await copyFile(path.join(folder, name), path.join(copies, name));
  }
  const { store } = await openStateFile(path.join(copies, "state.json"));
  open.push(store);
  return store;
}

export async function openStore(): Promise<Store> {
  const { store } = await openStateFile(file);
  open.push(store);
  return store;
}

export function useFolder(): void {
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-store-"));
    file = path.join(folder, "state.json");
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const store of open.splice(0)) await store.close().catch(() => undefined);
    await chmod(folder, 0o700).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  });
}

export function replaceFile(value: string): void {
  file = value;
}
