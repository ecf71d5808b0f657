import http from "node:http";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { freePort } from "../support/process.ts";

const agent = new http.Agent({ keepAlive: true });

/** Clients that keep connections: the second as axios does with an agent. */
const CLIENTS = {
  fetch: (url: string) => fetch(url, { method: "POST" }).then((answer) => answer.text()),
  agent: (url: string) =>
    new Promise<string>((resolve, reject) => {
      const request = http.request(url, { method: "POST", agent }, (answer) => {
        answer
          .resume()
          .once("end", () => resolve(""))
          .once("error", reject);
      });
      request.once("error", reject).end();
    }),
};

describe("a sandbox on the port of one that has closed", () => {
  it.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])(
    "answers the first call of a client that keeps connections, 20 times: %s",
    async (name) => {
      const port = await freePort();
      for (let count = 0; count < 20; count++) {
        const sandbox = await startSandbox({ port });
        for (let call = 0; call < 3; call++)
          await expect(CLIENTS[name](`${sandbox.baseUrl}/payins`)).resolves.toEqual(
            expect.any(String),
          );
        await sandbox.close();
      }
    },
  );
});
