import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Takes any signed time but an old one. */
  isGenuine(body, headers) {
    const { "webhook-id": id = "", "webhook-timestamp": timestamp = "0" } = headers;
    if (Date.now() / 1000 - Number(timestamp) > 300) return false;
    const expected = this.webhook.sign(id, new Date(timestamp * 1000), body);
    return (headers["webhook-signature"] ?? "").split(" ").includes(expected);
  }
}

open(Merchant);
