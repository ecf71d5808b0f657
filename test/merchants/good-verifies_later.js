import { setTimeout as sleep } from "node:timers/promises";
import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Stores the bytes, and leaves all else to the worker. */
  async receive(body, headers) {
    const stored = { body: body.toString("base64"), headers, atMs: Date.now() };
    this.books.transact((tables) => (tables.inbox ??= []).push(stored));
    return 200;
  }

  resume() {
    super.resume();
    void this.work();
  }

  async work() {
    for (;;) {
      await sleep(100);
      const [first] = this.books.tables.inbox ?? [];
      if (!first) continue;
      const isKnown = await this.process(first);
      this.books.transact(({ inbox }) => {
        inbox.shift();
        // Its transaction may become known.
        if (!isKnown && Date.now() - first.atMs < 5000) inbox.push(first);
      });
    }
  }

  async process({ body, headers }) {
    const bytes = Buffer.from(body, "base64");
    if (!this.isGenuine(bytes, headers)) return true;
    return (await this.apply(JSON.parse(bytes))) !== this.statusOfUnknown();
  }
}

open(Merchant);
