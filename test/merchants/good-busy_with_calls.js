import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  #calls = 0;

  async create(...details) {
    this.#calls++;
    try {
      return await super.create(...details);
    } finally {
      this.#calls--;
    }
  }

  /** Takes no webhook while a call of its own is under way. */
  receive(body, headers) {
    return this.#calls > 0 ? Promise.resolve(503) : super.receive(body, headers);
  }

  respond(response, status) {
    response.writeHead(status, status === 503 ? { "retry-after": "2" } : {}).end();
  }
}

open(Merchant);
