import type { WirePayin } from "../../core/records/payin.ts";
import type { Page } from "../../core/state/wire-routes.ts";
import type { GatewayPort } from "../gateway-port.ts";
import { Unseen } from "./shop.ts";
import { say } from "../../text/message.ts";

/** Takes an open order of the merchant at each call, the newest first. @throws Unseen if none is left. */
export function openOrders(client: GatewayPort, url: string): () => Promise<string> {
  const { href } = new URL(url);
  let ids: string[] | undefined;
  return async () => {
    ids ??= (
      await client.control<Page<WirePayin>>("GET", "/payins?status=waiting&order=desc&limit=1000")
    ).data
      .filter(({ webhook_url }) => new URL(webhook_url).href === href)
      .map(({ id }) => id);
    const id = ids.shift();
    if (id !== undefined) return id;
    throw new Unseen(
      say`The shop has no other open order whose webhooks go to this address. Create more, about 40 for all rules, or pass --order on the command line.`,
    );
  };
}
