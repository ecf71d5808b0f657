import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  runMain,
  runMainJson,
  type ServingMain,
  startMain,
  serveMain,
} from "../../support/main.ts";
import { startServe } from "../../support/cli.ts";
import { type Calls, callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";
import { startProxy } from "../../support/proxy.ts";

const UNKNOWN_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";
describe("wait", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  beforeAll(async () => {
    sandbox = await serveMain(["--memory", "--assume", "webhook.retries=none"]);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  /** Tests run on one sandbox, each as an integration of its own. */
  const start = () => {
    const token = crypto.randomUUID();
    const at = ["--url", sandbox.url, "--token", token];
    return {
      token,
      calls: callsTo(sandbox.url, token),
      run: (...args: string[]) => runMain(["wait", ...args, ...at]),
      json: (...args: string[]) => runMainJson<Shown>(["wait", ...args, ...at]),
    };
  };

  it("prints an earlier delivery, the newest of several", async () => {
    await using merchant = await startMerchant();
    const { calls, run, json } = start();
    await payOne(calls, merchant.url);
    const newest = await payOne(calls, merchant.url);
    await calls.control("POST", "/settle");
    const { code, stdout, stderr } = await run("payin.paid");

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`payin\\.paid +delivered +1 +200 +${newest} `));
    const delivery = await json("payin.paid");
    expect(delivery).toEqual(await calls.control("GET", `/deliveries/${delivery.id}`));
    expect(delivery.transaction_id).toBe(newest);
  });

  it("prints one that comes while it waits", async () => {
    await using merchant = await startMerchant();
    await using proxy = await startProxy(sandbox.ready.port);
    const { calls, token } = start();
    const from = ["--url", proxy.url, "--token", token];
    await using waiting = startMain(["wait", "payin.paid", "--timeout", "30s", ...from]);
    await proxy.used;
    const payinId = await payOne(calls, merchant.url);

    expect(await waiting.ended).toMatchObject({ code: 0, stderr: "" });
    expect(waiting.stdout).toContain(payinId);
  });

  it("ends with 6 after a timeout, and prints the existing webhooks", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    const { calls, run } = start();
    const payinId = await payOne(calls, merchant.url);
    await payOne(callsTo(sandbox.url, "another"), merchant.url);
    await calls.control("POST", "/settle");
    const { code, stdout, stderr } = await run("payin.paid", "--timeout", "100ms");

    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toBe(
      `error: No payin.paid was delivered within 100 ms. Seen instead: payin.paid ${payinId} (failed, 500).\nSandbox seed: ${sandbox.ready.seed}.\n`,
    );
  });

  it("ends with 6 at once with a timeout of 0", async () => {
    const { run } = start();
    const { code, stderr } = await run("payin.paid", "--id", UNKNOWN_ID, "--timeout", "0");

    expect(code).toBe(6);
    expect(stderr).toContain(UNKNOWN_ID);
    expect(stderr).toContain("There were no webhooks at all.");
  });

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "ends with 3 when the sandbox ends meanwhile, by %s",
    async (signal) => {
      await using own = await startServe();
      await using proxy = await startProxy(own.ready.port);
      await using waiting = startMain(["wait", "payin.paid", "--timeout=10m", "--url", proxy.url]);
      await proxy.used;
      await own.stop(signal);

      const { code, stdout, stderr } = await waiting.ended;
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toContain(`No sandbox responds at ${proxy.url}`);
    },
  );
});

async function payOne(calls: Calls, webhook_url: string): Promise<string> {
  const { body } = await calls.createPayin({ webhook_url });
  await calls.simulate("payin", body.id);
  return body.id;
}
