import http from "node:http";

/** A shop as its developers wrote it: it asks a gateway for charges, and hears of them at its webhook handler. */
export class Shop {
  /** @type {Set<string>} */
  paid = new Set();
  #gateway;
  #headers;
  #server = http.createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { type, data } = JSON.parse(text);
    if (type === "payin.paid") this.paid.add(data.id);
    response.writeHead(200).end();
  });

  /**
   * @param {string} gateway
   * @param {() => Record<string, string>} headers
   */
  constructor(gateway, headers) {
    this.#gateway = gateway;
    this.#headers = headers;
  }

  async open() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve(undefined)));
  }

  async close() {
    await new Promise((resolve) => this.#server.close(resolve).closeAllConnections());
  }

  /** @param {number} value */
  async sell(value) {
    const { port } = this.#server.address();
    const answer = await fetch(`${this.#gateway}/payins`, {
      method: "POST",
      headers: this.#headers(),
      body: JSON.stringify({
        value,
        buyer_cpf: "12345678909",
        buyer_name: "Maria da Silva",
        buyer_email: "maria@example.com",
        webhook_url: `http://127.0.0.1:${port}/webhooks/pix`,
      }),
    });
    if (!answer.ok) throw new Error(`The gateway answered ${answer.status}.`);
    return (await answer.json()).id;
  }
}
