import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

const SLOW_WORK_MS = 5100;

class Merchant extends Shop {
  /** Sends an e-mail about a canceled payout, and responds after that. */
  async receive(body, headers) {
    if (JSON.parse(body).type === "payout.canceled") await sleep(SLOW_WORK_MS);
    return super.receive(body, headers);
  }
}

open(Merchant);
