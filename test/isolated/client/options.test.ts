import { describe, expect, it } from "vitest";
import { startSandbox, type SandboxOptions } from "../../../src/index.ts";
import { startMerchant } from "../../support/merchant.ts";
import { sandboxSetup } from "../../../src/test-frameworks/vitest-setup.ts";

/** As JavaScript would write them: each is wrong, and what its refusal says. */
const WRONG: readonly (readonly [options: unknown, says: string])[] = [
  ["http://127.0.0.1", "The options must be an object"],
  [{ sede: "42" }, 'Unknown option "sede". Did you mean "seed"?'],
  [{ keep_requests: 5 }, 'Unknown option "keep_requests"'],
  [{ host: "" }, 'The option host must be a non-empty string, not "".'],
  [{ port: "7490" }, 'The option port must be a whole number from 0 to 65535, not "7490".'],
  [{ port: null }, "The option port must be a whole number from 0 to 65535, not null."],
  [{ stateFile: "" }, "The option stateFile must be"],
  [{ keepDeliveries: Number.NaN }, "The option keepDeliveries must be a whole number"],
  [{ keepRequests: -1 }, "The option keepRequests must be a whole number"],
  [{ fixtures: "shop.json" }, "The option fixtures must be a list"],
  [{ fixtures: [null] }, "The option fixtures must be a list"],
  [{ seed: 42 }, "The option seed must be a non-empty string, not 42."],
  [{ clock: "freeze" }, 'The option clock must be "real" or "frozen", not "freeze".'],
  [
    { now: "2026-02-30T12:00:00Z" },
    "The option now must be a time before the year 9000, as a Date",
  ],
  [{ now: new Date("yesterday") }, "The option now must be a time before the year 9000, as a Date"],
  [{ now: new Date(Date.UTC(9000, 0)) }, "The option now must be a time before the year 9000"],
  [{ now: 0 }, "The option now must be a time before the year 9000, as a Date"],
  [{ assumptions: null }, "The option assumptions must be an object with choices"],
  [{ assumptions: { "payout.rivals": "allow" } }, 'Unknown assumption "payout.rivals"'],
  [{ assumptions: { "payout.rival": "accept" } }, "payout.rival takes cancel, reject, allow."],
  [{ explain: "false" }, 'The option explain must be true or false, not "false".'],
  [{ magic: 1 }, "The option magic must be true or false, not 1."],
  [{ credentials: [{ apiKey: "shop" }] }, "The option credentials must be a list of objects"],
  [{ https: "yes" }, "The option https must be true or false"],
  [{ publicUrl: "pix.example" }, "The option publicUrl must be a URL"],
  [{ city: 5 }, "The option city must be the name of a city"],
  [{ city: "東京" }, "The option city must be the name of a city in Latin letters"],
  [{ allowHosts: "shop.test" }, "The option allowHosts must be a list of non-empty strings"],
  [{ corsOrigins: "*" }, "The option corsOrigins must be a list of origins without a path"],
  [{ corsOrigins: ["*"] }, "The option corsOrigins must be a list of origins without a path"],
  [{ corsOrigins: ["http://a/b"] }, "such as http://localhost:5173"],
  [{ webhookAllow: "none" }, 'The option webhookAllow must be "all" or "loopback"'],
  [{ report: "stderr" }, "The option report must be a function"],
];

describe("the options of a start", () => {
  it.each(WRONG)("%j are refused", async (options, says) => {
    const start = startSandbox(options as SandboxOptions).then((sandbox) => sandbox.close());
    await expect(start).rejects.toThrow(says);
    await expect(start).rejects.toThrow(TypeError);
  });

  it("let in a host in any case, as the flag does", async () => {
    await using sandbox = await startSandbox({ allowHosts: ["Shop.Example"] });
    for (const host of ["shop.example", "SHOP.example:8080"]) {
      const { status } = await sandbox.fetch("/_sandbox/health", { headers: { host } });
      expect({ host, status }).toEqual({ host, status: 200 });
    }
  });

  it("send a webhook to another host, with the address that it was given", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startSandbox({
      webhookHostRewrites: ["shop.invalid=127.0.0.1"],
      assumptions: { "webhook.retries": "none" },
    });
    const url = `http://shop.invalid:${merchant.port}/hook`;
    const payin = await sandbox.payins.create({ webhookUrl: url });
    await sandbox.payins.pay(payin.id);
    const delivery = await sandbox.webhooks.waitFor({ transactionId: payin.id });
    expect(delivery).toMatchObject({ url, status: "delivered" });
    expect(merchant.received.map(({ headers }) => headers["host"])).toEqual([
      `shop.invalid:${merchant.port}`,
    ]);
  });

  it("let in an origin however it is written", async () => {
    await using sandbox = await startSandbox({ corsOrigins: ["HTTPS://Shop.Example:443/"] });
    const headers = { origin: "https://shop.example" };
    const { status } = await fetch(`${sandbox.url}/_sandbox/health`, { headers });
    expect(status).toBe(200);
  });

  it("are refused in a set-up too", async () => {
    const setup = sandboxSetup({ clock: "freeze" } as object);
    await expect(setup({ provide: () => undefined })).rejects.toThrow("The option clock must be");
  });

  it.each(["2026-12-24T18:00:00-03:00", new Date("2026-12-24T21:00:00Z")])(
    "begin at a time: %s",
    async (now) => {
      await using sandbox = await startSandbox({ clock: "frozen", now });
      const { createdAt } = await sandbox.payins.create();
      expect(createdAt).toBe("2026-12-24T21:00:00.000Z");
    },
  );

  it("may be there without a value, and choices may be numbers and truths", async () => {
    const assumptions = { "payin.generate_qrcode": true, "rate_limit.per_minute": "3" };
    const options = { port: undefined, seed: undefined, assumptions };
    await using sandbox = await startSandbox(options as unknown as SandboxOptions);
    const rows = await sandbox.assumptions.list();
    const choiceOf = (wanted: string) => rows.find(({ name }) => name === wanted)?.choice;
    expect(choiceOf("payin.generate_qrcode")).toBe("true");
    expect(choiceOf("rate_limit.per_minute")).toBe(3);
  });
});
