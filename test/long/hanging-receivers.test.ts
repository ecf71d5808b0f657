import { expect, it } from "vitest";
import { startServe } from "../support/cli.ts";
import { callsTo } from "../support/calls.ts";
import { startMerchant } from "../support/merchant.ts";

const HANGING = process.env["PIX_TEST_LONG"] === "short" ? 320 : 960;
const AT_ONCE = 32;

it.each([
  ["paths of one origin", (index: number) => `127.0.0.1/${index}`],
  ["addresses", (index: number) => `127.1.${index >> 8}.${index & 255}/hangs`],
])(
  `${HANGING} %s that hang delay no other address, and no other integration`,
  { timeout: 300_000 },
  async (_title, placeOf) => {
    await using merchant = await startMerchant({
      host: "0.0.0.0",
      answer: ({ path }) => (path.startsWith("/healthy") ? 200 : "hold"),
    });
    // An attempt that hangs stays open for the whole test.
    await using sandbox = await startServe([
      "--memory",
      "--assume",
      "webhook.timeout_seconds=3600",
    ]);
    const shop = callsTo(sandbox.url);
    const healthy = `http://127.0.0.1:${merchant.port}/healthy`;
    const pay = async (webhookUrl: string, calls = shop): Promise<void> => {
      const { body } = await calls.createPayin({ webhook_url: webhookUrl });
      await calls.simulate("payin", body.id);
    };
    await pay(healthy);
    await merchant.waitFor(1);
    await shop.control("POST", "/settle");
    for (let index = 0; index < HANGING; index += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, place) =>
          pay(`http://${placeOf(index + place).replace("/", `:${merchant.port}/`)}`),
        ),
      );
    await pay(healthy);
    await pay(`${healthy}/other`, callsTo(sandbox.url, "other"));
    await merchant.waitFor(3, ({ path }) => path.startsWith("/healthy"));

    const hanging = (await shop.deliveries("&status=pending")).filter(({ url }) => url !== healthy);
    expect(new Set(hanging.map(({ attempts }) => attempts.length))).toEqual(new Set([0]));
  },
);
