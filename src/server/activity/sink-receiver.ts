import type { Gateway } from "../../core/operations/gateway.ts";
import type { LocalReceiver } from "../../delivery/sender.ts";
import { STANDARD_TOLERANCE_MS, verifyWebhook } from "../../webhook-diagnosis/verify.ts";
import { Sink, sinkOf } from "../../http/context/sink.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import type { OwnAddresses } from "./own-addresses.ts";

export interface SinkParts {
  readonly gateway: Pick<Gateway, "delivery" | "clock">;
  /** The secret that signs an integration's webhooks. */
  readonly secretOf: (integration: string | null) => string;
  /** How many webhooks it stores. */
  readonly keep: number;
}

export function createSink({ gateway, secretOf, keep }: SinkParts): Sink {
  return new Sink({
    keep,
    sandboxNowMs: () => gateway.clock.nowMs(),
    integrationOf: (deliveryId) => gateway.delivery(deliveryId)?.integration ?? null,
    verify: ({ headers, body }, integration) => {
      const verdict = verifyWebhook(
        { headers, body: Buffer.from(body) },
        { secret: secretOf(integration), nowMs: wallNowMs(), toleranceMs: STANDARD_TOLERANCE_MS },
      );
      return verdict.isValid ? null : verdict;
    },
  });
}

/**
 * Delivers webhooks to the sandbox's own sink in this process, so that no certificate, no limit of addresses and no
 * port mapping is in the way.
 *
 * An address is the sandbox's own if it has the path of a sink, and its host and port are the server's, the public
 * URL's, or those of the Host header of an accepted request of this run: a client outside a container or behind a
 * proxy reaches the sandbox by that address, which the sandbox itself may not reach. A forged Host makes no new
 * connection possible: it can only keep a webhook to a sink in this process.
 */
export function receiveInSink(sink: Sink, own: Pick<OwnAddresses, "isOwn">): LocalReceiver {
  return (url, { headers, body }) => {
    const id = sinkOf(url.pathname);
    if (id === undefined || !own.isOwn(url)) return undefined;
    sink.receive({ sink: id, headers, body });
    return { status: 200, response: "{}" };
  };
}
