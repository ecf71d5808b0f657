import { createHmac } from "node:crypto";
import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Checks the signature, and not when it was made. */
  isGenuine(body, headers) {
    const { "webhook-id": id, "webhook-timestamp": timestamp } = headers;
    const key = Buffer.from(this.secret.replace("whsec_", ""), "base64");
    const hmac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
    const expected = `v1,${hmac.digest("base64")}`;
    return (headers["webhook-signature"] ?? "").split(" ").includes(expected);
  }
}

open(Merchant);
