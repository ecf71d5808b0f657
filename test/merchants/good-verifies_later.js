import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  #stored = [];

  /** Stores the bytes, and leaves all else to the worker. */
  async receive(body, headers) {
    this.#stored.push({ body, headers, atMs: Date.now() });
    return 200;
  }

  resume() {
    super.resume();
    void this.work();
  }

  async work() {
    for (;;) {
      await sleep(100);
      const stored = this.#stored.splice(0);
      for (const one of stored)
        if (this.isGenuine(one.body, one.headers)) {
          const status = await this.apply(JSON.parse(one.body));
          // Its transaction may become known.
          const isYoung = Date.now() - one.atMs < 5000;
          if (status === this.statusOfUnknown() && isYoung) this.#stored.push(one);
        }
    }
  }
}

open(Merchant);
