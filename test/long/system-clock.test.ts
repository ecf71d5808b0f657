import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../src/index.ts";
import { startServe } from "../support/cli.ts";
import { createFolder } from "../support/folder.ts";
import { startMerchant } from "../support/merchant.ts";
import { lacks } from "../support/lacks.ts";

/** Debian's package faketime has it. */
const LIBRARY = (existsSync("/usr/lib") ? readdirSync("/usr/lib") : [])
  .map((folder) => `/usr/lib/${folder}/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));
const options = { timeout: 60_000 };

beforeEach((context) => {
  if (lacks("faketime")) context.skip();
});

describe("a server whose system clock is set", options, () => {
  it("back an hour retries a webhook a second later, and signs with the system clock", async () => {
    await using merchant = await startMerchant({
      answer: (_received, index) => [500][index] ?? 200,
    });
    await using server = await startServeWithClock([]);
    const { payins, settled } = createClient({ baseUrl: server.url });
    const { id } = await payins.create({ webhookUrl: merchant.url });
    await payins.pay(id);
    await settled();
    await server.setClock("-1h");

    const received = await merchant.waitFor(2);
    const [first = 0, second = 0] = received.map(({ headers }) =>
      Number(headers["webhook-timestamp"]),
    );
    expect(second).toBeLessThan(first);
  });

  it("back an hour lets a charge of 20 s expire", async ({ skip }) => {
    skip(lacks("the long form"));
    await using merchant = await startMerchant();
    await using server = await startServeWithClock(["--assume", "payin.expiry_event=webhook"]);
    const { payins } = createClient({ baseUrl: server.url });
    await payins.create({ webhookUrl: merchant.url, expiration: 20 });
    await server.setClock("-1h");

    const [expired] = await merchant.waitFor(1);
    expect(expired?.body).toContain("payin.expired");
  });

  it("forward an hour lets a charge of an hour expire, without a call", async () => {
    await using merchant = await startMerchant();
    await using server = await startServeWithClock(["--assume", "payin.expiry_event=webhook"]);
    const { payins } = createClient({ baseUrl: server.url });
    await payins.create({ webhookUrl: merchant.url, expiration: 3600 });
    await server.setClock("+1h");

    const [expired] = await merchant.waitFor(1);
    expect(expired?.body).toContain("payin.expired");
  });
});

async function startServeWithClock(args: readonly string[]) {
  const folder = await createFolder();
  const file = folder.at("clock");
  await writeFile(file, "+0");
  const server = await startServe(["--memory", ...args], {
    env: {
      LD_PRELOAD: LIBRARY ?? "",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  });
  return {
    url: server.url,
    setClock: (offset: string) => writeFile(file, offset),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
