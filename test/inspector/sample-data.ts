import type { Sandbox } from "../../src/index.ts";
import { callsTo } from "../support/calls.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";

/** The start of the sandbox's clock for {@link fillSandbox}: a Thursday morning in São Paulo. */
export const SAMPLE_START = "2026-03-12T13:02:00.000Z";

/** The records of {@link fillSandbox} that tests and pictures open. */
export interface SampleData {
  /** Paid; its webhook was delivered by the second attempt. */
  readonly payin: string;
  readonly waitingPayin: string;
  readonly completedPayin: string;
  readonly expiredPayin: string;
  readonly canceledPayin: string;
  readonly payout: string;
  readonly waitingPayout: string;
  /** Failed, then was resent. */
  readonly resentWebhook: string;
  readonly failedWebhook: string;
  readonly refusedRequest: string;
}

/** A merchant whose responses depend on who pays: some webhooks fail. */
export function startSampleMerchant(): Promise<Merchant> {
  const attempts = new Map<string, number>();
  return startMerchant({
    answer: ({ headers, body }) => {
      const id = headers["webhook-id"] ?? "";
      const number = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, number);
      const failures = FAILURES.find(([name]) => body.includes(name))?.[1] ?? 0;
      return number <= failures
        ? {
            status: number < LAST ? 500 : 410,
            headers: JSON_TYPE,
            body: '{"error":"order not found"}',
          }
        : { status: 200, headers: JSON_TYPE, body: '{"received":true}' };
    },
  });
}

/** The attempt that ends a delivery: it shows that its receiver is gone, even if a jump of the clock made it. */
const LAST = 4;
const JSON_TYPE = { "content-type": "application/json" };
/** How many webhooks fail, by the name in their body. */
const FAILURES = [
  ["Camila", 1],
  ["Rafael", 4],
  ["Beatriz Rocha", 99],
] as const;

const BUYERS = {
  ana: ["Ana Beatriz Souza", "52998224725", "ana@example.com"],
  camila: ["Camila Ferreira Lima", "11144477735", "camila@example.com"],
  joao: ["João Pedro Almeida", "39053344705", "joao@example.com"],
  luiz: ["Luiz Fernando Teixeira", "86288366757", "luiz@example.com"],
  mariana: ["Mariana Castro", "29537995593", "mariana@example.com"],
  rafael: ["Rafael Nogueira", "71428793860", "rafael@example.com"],
} as const;

/** Fills a sandbox whose clock is frozen at {@link SAMPLE_START}. The same seed gives the same records. */
export async function fillSandbox(sandbox: Sandbox, merchant: Merchant): Promise<SampleData> {
  const store = callsTo(sandbox.url, "loja-online");
  const app = callsTo(sandbox.url, "app-mobile");
  const { payins, webhooks, faults } = sandbox;
  const webhook_url = merchant.at("/webhooks/pix");
  let count = 0;
  const key = (): string => `pedido-${String(48_210 + count++)}`;
  const seconds = async (number: number): Promise<void> => {
    await sandbox.clock.advance({ seconds: number });
    await sandbox.settled();
  };
  const payin = async (
    who: keyof typeof BUYERS,
    value: number,
    description: string,
    { calls = store, expiration = 1800 } = {},
  ): Promise<string> => {
    const [buyer_name, buyer_cpf, buyer_email] = BUYERS[who];
    const { body } = await calls.createPayin(
      { value, buyer_name, buyer_cpf, buyer_email, webhook_url, description, expiration },
      key(),
    );
    await seconds(17);
    return body.id;
  };
  const payout = async (
    name: string,
    cpf: string,
    value: number,
    pix: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const { body } = await app.createPayout(
      {
        value,
        receiver_name: name,
        receiver_cpf: cpf,
        receiver_email: "financeiro@example.com",
        webhook_url,
        ...pix,
      },
      key(),
    );
    await seconds(23);
    return body.id;
  };

  const expiredPayin = await payin("mariana", 64.9, "Camiseta básica", { expiration: 120 });
  const canceledPayin = await payin("rafael", 1249, "Bicicleta aro 29");
  await payins.cancel(canceledPayin);
  await seconds(75);
  const completedPayin = await payin("luiz", 320.5, "Inscrição no curso", { calls: app });
  await payins.simulate(completedPayin);
  await seconds(41);
  const rafaels = await payin("rafael", 79.9, "Capacete");
  await payins.pay(rafaels);
  await seconds(120);
  const [failed] = await webhooks.list({ transactionId: rafaels });
  await webhooks.resend(failed?.id ?? "");
  await sandbox.snapshot("antes-do-checkout");
  await sandbox.integration("app-mobile").snapshot("app-mobile-1");

  const payoutId = await payout("Thiago Martins", "52998224725", 1800, {
    pix_key: "thiago.martins@example.com",
    pix_key_type: "email",
  });
  await sandbox.payouts.complete(payoutId);
  const canceledPayout = await payout("Beatriz Rocha", "11144477735", 450, {
    pix_key: "+5511987654321",
    pix_key_type: "phone",
  });
  await sandbox.payouts.cancel(canceledPayout);
  await seconds(90);
  const waitingPayout = await payout("Helena Barbosa", "39053344705", 96.3, {
    pix_key: "39053344705",
    pix_key_type: "cpf",
  });

  await store.createPayin(
    {
      value: -5,
      buyer_cpf: "1234",
      buyer_name: "Bruno Carvalho",
      buyer_email: undefined,
      webhook_url,
    },
    key(),
  );
  await seconds(8);
  await payins.pay(await payin("ana", 89.9, "Pedido 48221", { calls: app }));
  await seconds(12);
  const main = await payin("camila", 259.8, "Pedido 48222 (2 itens)");
  await payins.pay(main);
  await seconds(9);
  const waitingPayin = await payin("joao", 149.9, "Pedido 48223");
  await payin("ana", 35, "Frete expresso", { calls: app, expiration: 600 });

  await sandbox.assumptions.change({ "webhook.timeout_seconds": 5, "webhook.success": "only_200" });
  await faults.add({
    on: "payouts.create",
    effect: "error=EXTERNAL_ERROR",
    times: 2,
    match: { receiver_cpf: "52998224725" },
  });
  await sandbox.integration("loja-online").faults.add({ on: "webhook", effect: "duplicate" });
  await sandbox.settled();

  const refused = (await sandbox.requests.list()).find(({ status }) => status >= 400);
  return {
    payin: main,
    waitingPayin,
    completedPayin,
    expiredPayin,
    canceledPayin,
    payout: payoutId,
    waitingPayout,
    resentWebhook: failed?.id ?? "",
    failedWebhook: (await webhooks.list({ transactionId: canceledPayout }))[0]?.id ?? "",
    refusedRequest: refused?.id ?? "",
  };
}
