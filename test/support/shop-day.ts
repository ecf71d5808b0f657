import { callsTo, headersOf, RECEIVER } from "./calls.ts";

/** A text that means something to every format. */
export const HOSTILE =
  "'; exit 1; \" $(exit 1) ${HOME} `exit 1` \\ {{any}} {{x.id}} {{ %} ### \u2028\u2029\n> {%\t\u0085\u202e\u001b[31m\ufeff é ☕ 💥 ]]> */ <!--";

/** A shop's day: lost responses and retries, a duplicate webhook, expiry, rivals, cancellations, refusals. */
export async function liveShopDay(url: string, webhookUrl: string): Promise<void> {
  const calls = callsTo(url, "secret-token");
  const webhook_url = webhookUrl;
  const faulty = (fault: string, path: string, body: unknown, key: string) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        ...headersOf("secret-token"),
        "content-type": "application/json",
        "x-idempotency-key": key,
        "x-sandbox-fault": fault,
      },
      body: JSON.stringify(body),
    }).catch(() => undefined);
  const configuration = { webhook_url, events: ["payment.received"] };
  await calls.gateway("PUT", "/v1/webhooks", configuration);
  const charge = { webhook_url, description: HOSTILE, buyer_name: "Zé d'Ávila {{", expiration: 60 };

  const paid = await calls.createPayin(charge, "key '1'");
  await calls.control("POST", `/payins/${paid.body.id}/pay`);
  await calls.createPayin(charge, "key '1'");
  await calls.createPayin({ ...charge, value: 11 }, "key '1'");
  await calls.simulate("payin", paid.body.id);

  const payout = { ...RECEIVER, webhook_url, description: HOSTILE };
  await faulty("lost_answer", "/v1/payouts", payout, "key 2");
  const retried = await calls.createPayout(payout, "key 2");
  const rival = await calls.createPayout({ webhook_url, value: 7 }, "key 3");
  await faulty("duplicate", "/v1/payouts", { ...payout, value: 8 }, "key 4");
  await faulty(
    "error=EXTERNAL_ERROR",
    "/v1/payouts",
    { ...payout, receiver_cpf: "11144477735", pix_key: "11144477735" },
    "key 5",
  );
  const other = await calls.createPayout(
    { ...payout, receiver_cpf: "11144477735", pix_key: "11144477735" },
    "key 5",
  );
  await calls.simulate("payout", rival.body.id);
  await calls.simulate("payout", retried.body.id);
  await calls.control("POST", `/payouts/${other.body.id}/cancel`);
  await calls.createPayout({ webhook_url, value: 9 }, "key 6");

  const expired = await calls.createPayin({ webhook_url, expiration: 20 });
  const canceled = await calls.createPayin({ webhook_url });
  await calls.control("POST", `/payins/${canceled.body.id}/cancel`);
  await calls.createPayin({ webhook_url, value: -1, description: HOSTILE });
  await calls.createPayin({ webhook_url: "ftp://example.com" });
  const ended = await calls.createPayin({ webhook_url });
  await calls.control("POST", "/clock/advance", { seconds: 30 });
  await calls.control("POST", `/payins/${ended.body.id}/expire`);
  await calls.simulate("payin", expired.body.id);
  const faulted = await calls.createPayin({ webhook_url });
  await faulty(
    "duplicate",
    "/v1/payins/simulations",
    { transaction_id: faulted.body.id, status: "completed" },
    "key 7",
  );

  const second = callsTo(url, "second-secret-token");
  await second.createPayout({ webhook_url: `${url}/_sandbox/sink/other` });
  await second.createPayin({ webhook_url: `${url}/_sandbox/sink/other` });
  await calls.control("POST", "/settle");
}
