import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";
import type { SandboxOptions } from "../../src/index.ts";
import { sandboxSetup } from "../../src/testing/vitest-setup.ts";

/** As JavaScript would write them: each is wrong, and what its refusal says. */
const WRONG: readonly (readonly [options: unknown, says: string])[] = [
  ["http://127.0.0.1", "The options are an object"],
  [{ sede: "42" }, 'There is no option "sede"; there are host, port'],
  [{ keep_requests: 5 }, 'There is no option "keep_requests"'],
  [{ host: "" }, 'The option host takes a text that is not empty, not "".'],
  [{ port: "7490" }, 'The option port takes a whole number from 0 to 65535, not "7490".'],
  [{ port: null }, "The option port takes a whole number from 0 to 65535, not null."],
  [{ stateFile: "" }, "The option stateFile takes"],
  [{ durability: "sometimes" }, 'The option durability takes "always" or "none"'],
  [{ keepDeliveries: Number.NaN }, "The option keepDeliveries takes a whole number"],
  [{ keepRequests: -1 }, "The option keepRequests takes a whole number"],
  [{ fixtures: "shop.json" }, "The option fixtures takes a list"],
  [{ fixtures: [null] }, "The option fixtures takes a list"],
  [{ seed: 42 }, "The option seed takes a text that is not empty, not 42."],
  [{ clock: "freeze" }, 'The option clock takes "real" or "frozen", not "freeze".'],
  [{ now: "2026-02-30T12:00:00Z" }, "The option now takes a time before the year 9000, as a Date"],
  [{ now: new Date("yesterday") }, "The option now takes a time before the year 9000, as a Date"],
  [{ now: new Date(Date.UTC(9000, 0)) }, "The option now takes a time before the year 9000"],
  [{ now: 0 }, "The option now takes a time before the year 9000, as a Date"],
  [{ assumptions: null }, "The option assumptions takes an object"],
  [{ assumptions: { "payout.rivals": "allow" } }, 'There is no assumption "payout.rivals"'],
  [{ assumptions: { "payout.rival": "accept" } }, "payout.rival takes cancel, reject, allow."],
  [{ explain: "false" }, 'The option explain takes true or false, not "false".'],
  [{ magic: 1 }, "The option magic takes true or false, not 1."],
  [{ credentials: [{ apiKey: "shop" }] }, "The option credentials takes a list of objects"],
  [{ https: "yes" }, "The option https takes true or false"],
  [{ publicUrl: "pix.example" }, "The option publicUrl takes an address"],
  [{ city: 5 }, "The option city takes a text"],
  [{ city: "東京" }, "The option city takes a text that leaves a city's name in a BR Code"],
  [{ allowHosts: "shop.test" }, "The option allowHosts takes a list of texts"],
  [{ corsOrigins: "*" }, "The option corsOrigins takes a list of origins without a path"],
  [{ corsOrigins: ["*"] }, "The option corsOrigins takes a list of origins without a path"],
  [{ corsOrigins: ["http://a/b"] }, "such as http://localhost:5173"],
  [{ webhookAllow: "none" }, 'The option webhookAllow takes "all" or "loopback"'],
  [{ report: "stderr" }, "The option report takes a function"],
];

describe("the options of a start", () => {
  it.each(WRONG)("%j are refused", async (options, says) => {
    const start = startSandbox(options as SandboxOptions).then((sandbox) => sandbox.close());
    await expect(start).rejects.toThrow(says);
    await expect(start).rejects.toThrow(TypeError);
  });

  it("let in an origin however it is written", async () => {
    await using sandbox = await startSandbox({ corsOrigins: ["HTTPS://Shop.Example:443/"] });
    const headers = { origin: "https://shop.example" };
    const { status } = await fetch(`${sandbox.url}/_sandbox/health`, { headers });
    expect(status).toBe(200);
  });

  it("are refused in a set-up too", async () => {
    const setup = sandboxSetup({ clock: "freeze" } as object);
    await expect(setup({ provide: () => undefined })).rejects.toThrow("The option clock takes");
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
