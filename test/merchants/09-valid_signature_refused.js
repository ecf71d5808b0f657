import { Webhook } from "standardwebhooks";
import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  constructor(options) {
    super(options);
    // The secret's text is taken for the key. The key is what its base64 says.
    this.webhook = new Webhook(options.secret, { format: "raw" });
  }
}

open(Merchant);
