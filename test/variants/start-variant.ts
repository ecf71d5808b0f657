import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Deviates } from "./checks.ts";
import { deviationOf, drawDeviations, type Deviation, type DeviationId } from "./deviations.ts";
import { createPipeline, type Credential, type SentRequest } from "./pipeline.ts";
import { drawChoices, randomOf, unobservable, withDefaults } from "./rows.ts";
import type { Choices, Row } from "./rows.ts";
import { Timers } from "./timers.ts";
import { startWebhooks } from "./webhooks.ts";

/** A hidden gateway: what a client may use, and the key by which a judge knows it. */
export interface Variant {
  /** Ends in `/v1`. */
  readonly url: string;
  /** What its client presents; with `credentials=listed` nothing else is accepted. */
  readonly credential: Credential;
  readonly choices: Choices;
  /** The rows whose choice no client can observe here, each with the reason. */
  readonly unobservable: Partial<Record<Row, string>>;
  readonly deviations: readonly Deviation[];
  /** The deviations that have shown in a response or webhook so far. */
  readonly touched: ReadonlySet<DeviationId>;
  /** What it was sent, in the order of its answers. */
  readonly requests: readonly SentRequest[];
  [Symbol.asyncDispose](): Promise<void>;
}

interface Drawn {
  readonly choices: Choices;
  readonly deviations: readonly DeviationId[];
}

interface Settings {
  /** For given choices only: a seed draws its own. */
  readonly deviations?: readonly DeviationId[];
  /** How many of the variant's seconds pass in a real one. Default 1. */
  readonly speed?: number;
}

/** Starts the gateway of a seed, or the one with these choices and otherwise the defaults. */
export async function startVariant(
  seed: number | Partial<Choices>,
  { deviations: given = [], speed = 1 }: Settings = {},
): Promise<Variant> {
  const isSeed = typeof seed === "number";
  const drawn = isSeed ? drawVariant(seed) : { choices: withDefaults(seed), deviations: given };
  const { choices, deviations: ids }: Drawn = drawn;
  const credential = {
    api_key: randomUUID(),
    api_secret: `whsec_${randomBytes(24).toString("base64")}`,
    merchant_id: randomUUID(),
  };
  const touched = new Set<DeviationId>();
  const deviates: Deviates = (id) => ids.includes(id) && touched.add(id).has(id);
  const requests: SentRequest[] = [];
  const timers = new Timers(speed);
  const webhooks = startWebhooks(choices, deviates, timers, credential.api_secret);
  const parts = { choices, deviates, timers, send: webhooks.send };
  const serve = createPipeline(parts, credential, requests);

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    credential,
    choices,
    unobservable: unobservable(choices),
    deviations: ids.map((id) => deviationOf(id, choices)),
    touched,
    requests,
    async [Symbol.asyncDispose]() {
      timers.stop();
      webhooks.stop();
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** The choices and deviations of a seed. */
export function drawVariant(seed: number): Drawn {
  const random = randomOf(seed);
  const choices = drawChoices(random);
  return { choices, deviations: drawDeviations(random, choices) };
}
