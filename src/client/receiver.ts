import { toSafeLine } from "../text/plain/safe-text.ts";
import type { EventType } from "../core/records/transaction.ts";
import { clearTimeout, setTimeout } from "../platform/real-time.ts";
import {
  type ArrivedWebhook,
  type WebhookResponse,
  WebhookServer,
} from "../webhook-diagnosis/webhook-server.ts";
import { assertEventType } from "./event-type.ts";
import { assertMembers } from "./members.ts";
import { english } from "../text/languages.ts";

export type { WebhookResponse };

/** A webhook that a receiver got. */
export interface ReceivedWebhook {
  /** The header `webhook-id`, the same at every attempt; empty without one. */
  readonly id: string;
  readonly type: EventType;
  readonly transactionId: string;
  /** The parsed body, with the names of the wire. */
  readonly body: WebhookBody;
  /** The text that was signed. */
  readonly rawBody: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the signature is valid. */
  readonly isVerified: boolean;
  /** Why the signature is not valid. */
  readonly problem: string | null;
}

/** The body of a webhook. */
export interface WebhookBody {
  readonly id: string;
  readonly type: EventType;
  readonly created_at: string;
  /** The payin or payout. */
  readonly data: Readonly<Record<string, unknown>> & {
    readonly id: string;
    readonly status: string;
  };
}

/** Options of {@link Receiver.next}. */
export interface NextOptions {
  /** In real time. Default 4,000. */
  readonly timeoutMs?: number | undefined;
}

/** A webhook handler for tests, on a free port of this machine. It verifies each webhook. */
export interface Receiver extends AsyncDisposable {
  /** The `webhookUrl` for payins and payouts. */
  readonly url: string;
  /** Every webhook so far, in order of arrival. */
  readonly received: readonly ReceivedWebhook[];
  /**
   * Resolves to the first webhook of a type (default: of any) that no earlier call has returned, as soon as one exists.
   * @throws TypeError for an unknown type; ReceiverTimeoutError after `timeoutMs`, with the webhooks that arrived
   * instead; Error if none is left after `close()`.
   */
  next(type?: EventType, options?: NextOptions): Promise<ReceivedWebhook>;
  /**
   * Sets the HTTP statuses of the next responses; `"nothing"` closes the connection. The last one repeats.
   * @throws TypeError for a status that is not from 200 to 599.
   */
  respond(...responses: readonly [WebhookResponse, ...WebhookResponse[]]): void;
  /** Stops it. A sandbox in the same process stops its receivers when it closes. */
  close(): Promise<void>;
}

/** No such webhook arrived in time. The message lists what arrived instead. */
export class ReceiverTimeoutError extends Error {
  override readonly name = "ReceiverTimeoutError";
  /** Every webhook so far, in order of arrival. */
  readonly received: readonly ReceivedWebhook[];

  constructor(message: string, received: readonly ReceivedWebhook[]) {
    super(message);
    this.received = received;
  }
}

/** The receivers of one sandbox. */
export class Receivers {
  readonly #open = new Set<Receiver>();
  #isClosed = false;

  /** @param secret the secret that signs the webhooks */
  async open(secret: string): Promise<Receiver> {
    const receiver = await openReceiver(secret, () => this.#open.delete(receiver));
    this.#open.add(receiver);
    if (this.#isClosed) await receiver.close();
    return receiver;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((receiver) => receiver.close()));
  }
}

/** Less than the test timeout of vitest and jest, so that the error is shown. */
const TIMEOUT_MS = 4000;

/** A call of `next` that waits. */
interface Waiter {
  accepts(webhook: ReceivedWebhook): boolean;
  resolve(webhook: ReceivedWebhook): void;
  reject(error: Error): void;
}

async function openReceiver(secret: string, onClose: () => void): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  /** Those that no call of `next` has returned. */
  const unread = new Set<ReceivedWebhook>();
  const waiters = new Set<Waiter>();
  const onWebhook = (arrived: ArrivedWebhook): void => {
    const webhook = toReceived(arrived);
    received.push(webhook);
    const waiter = [...waiters].find((one) => one.accepts(webhook));
    if (waiter) waiter.resolve(webhook);
    else unread.add(webhook);
  };
  // A script may end without closing its receivers.
  const server = await WebhookServer.open({ secret, onWebhook, isBackground: true });
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    for (const waiter of waiters) waiter.reject(receiverIsClosed());
    onClose();
    await server.close();
  };
  return {
    url: server.url,
    received,
    next: async (type, options = {}) => {
      assertEventType("next()", type);
      assertMembers("next()", options, { timeoutMs: true });
      const { timeoutMs = TIMEOUT_MS } = options;
      const accepts = (webhook: ReceivedWebhook): boolean =>
        type === undefined || webhook.type === type;
      const first = [...unread].find(accepts);
      if (first) {
        unread.delete(first);
        return first;
      }
      if (isClosed) throw receiverIsClosed();
      return new Promise<ReceivedWebhook>((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer);
          waiters.delete(waiter);
        };
        const waiter: Waiter = {
          accepts,
          resolve: (webhook) => {
            end();
            resolve(webhook);
          },
          reject: (error) => {
            end();
            reject(error);
          },
        };
        const timer = setTimeout(() => {
          const text = describeTimeout(type, timeoutMs, { received, unread });
          waiter.reject(new ReceiverTimeoutError(text, [...received]));
        }, timeoutMs);
        waiters.add(waiter);
      });
    },
    respond: (...responses) => server.respondWith(checkResponses(responses)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function receiverIsClosed(): Error {
  return new Error("The receiver is closed.");
}

/** @throws TypeError for anything but statuses and `"nothing"`. */
function checkResponses(responses: readonly unknown[]): readonly WebhookResponse[] {
  const wrong = responses.find(
    (one) =>
      one !== "nothing" &&
      !(typeof one === "number" && Number.isInteger(one) && one >= 200 && one <= 599),
  );
  if (responses.length > 0 && wrong === undefined) return responses as readonly WebhookResponse[];
  throw new TypeError(
    `respond() takes HTTP statuses from 200 to 599, or "nothing" to close the connection, not ${JSON.stringify(wrong)}.`,
  );
}

function toReceived({ id, type, transactionId, body, rawBody, headers, flaw }: ArrivedWebhook) {
  return {
    id,
    type: type as EventType,
    transactionId,
    body: body as WebhookBody,
    rawBody,
    headers,
    isVerified: flaw === null,
    problem: (flaw?.text && english(flaw.text)) ?? null,
  };
}

function describeTimeout(
  type: EventType | undefined,
  timeoutMs: number,
  arrived: {
    readonly received: readonly ReceivedWebhook[];
    readonly unread: ReadonlySet<ReceivedWebhook>;
  },
): string {
  const lines = arrived.received
    .slice(-MAX_LISTED)
    .map((one) => `  ${describe(one)}${arrived.unread.has(one) ? "" : ", already returned"}`);
  const more = arrived.received.length - lines.length;
  return [
    `No ${type ?? "webhook"} arrived within ${timeoutMs / 1000} s.`,
    lines.length === 0 ? "Nothing arrived." : "Arrived so far:",
    ...(more > 0 ? [`  ${more} earlier ones`] : []),
    ...lines,
  ]
    .map(toSafeLine)
    .join("\n");
}

const MAX_LISTED = 10;

function describe({ id, type, transactionId, isVerified, problem }: ReceivedWebhook): string {
  const signature = isVerified ? "verified" : `not valid: ${problem}`;
  return `${type || "a body without a type"} of ${transactionId || "-"} (${id || "no id"}), ${signature}`;
}
