import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  #underWay = new Set();

  /** While the first one is under way, a second one has to come again. */
  async apply(event) {
    if (this.#underWay.has(event.id)) return 503;
    this.#underWay.add(event.id);
    await sleep(200);
    const status = super.apply(event);
    // What comes a moment later is still the same burst.
    setTimeout(() => this.#underWay.delete(event.id), 300);
    return status;
  }

  respond(response, status) {
    response.writeHead(status, status === 503 ? { "retry-after": "1" } : {}).end();
  }
}

open(Merchant);
