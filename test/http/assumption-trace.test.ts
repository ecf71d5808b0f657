import { describe, expect, it } from "vitest";
import { STANDARD_ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/start.ts";
import { READ_BY, readersFor } from "../../src/http/schemas.ts";
import { type Call, call, control } from "../support/gateway.ts";

const PAYIN = {
  value: 10,
  buyer_cpf: "52998224725",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
  webhook_url: "http://127.0.0.1:9/hook",
};
const PAYOUT = {
  value: 25,
  receiver_cpf: "52998224725",
  receiver_name: "José de Souza",
  receiver_email: "jose@example.com",
  pix_key: "52998224725",
  pix_key_type: "cpf",
  webhook_url: "http://127.0.0.1:9/hook",
};
const SIMULATION = { transaction_id: "none", status: "completed" };

/** One request of each gateway route, and one to a path that there is not. */
const REQUESTS: readonly Call[] = [
  { path: "/v1/payins", body: PAYIN },
  { path: "/v2/payins", body: PAYIN },
  { path: "/v2/payins", body: "{" },
  { path: "/v1/payouts", body: PAYOUT },
  { path: "/v1/payouts", body: PAYOUT },
  { path: "/v1/payins/simulations", body: SIMULATION },
  { path: "/v1/payouts/simulations", body: SIMULATION },
  { method: "PUT", path: "/v1/webhooks", body: {} },
  { method: "GET", path: "/v1/webhooks" },
  { method: "GET", path: "/v1/nothing" },
];

describe("x-sandbox-assumption", () => {
  it("is on no answer where every choice is the default", async () => {
    await using sandbox = await startSandbox();
    for (const request of REQUESTS) expect(await namesOf(sandbox, request)).toBeUndefined();
  });

  it("names each changed choice that was asked for an answer, and no other", async () => {
    await using sandbox = await startSandbox({
      assumptions: {
        "payout.rival": "reject",
        "error.status": "always_400",
        "qr_code_base64.form": "data_uri",
        "webhook.retries": "none",
      },
    });
    const withImage = { ...PAYIN, generate_qrcode: true };
    expect(await namesOf(sandbox, { path: "/v1/payins", body: PAYIN })).toBeUndefined();
    expect(await namesOf(sandbox, { path: "/v1/payins", body: withImage })).toBe(
      "qr_code_base64.form=data_uri",
    );
    expect(await namesOf(sandbox, { path: "/v1/payouts", body: PAYOUT })).toBeUndefined();
    expect(await namesOf(sandbox, { path: "/v1/payouts", body: PAYOUT })).toBe(
      "payout.rival=reject, error.status=always_400",
    );
    expect(await namesOf(sandbox, { path: "/v1/payins", body: {} })).toBeUndefined();
  });

  it("is about the choices of the integration that asks", async () => {
    await using sandbox = await startSandbox();
    await control(sandbox, "shop", "PATCH /assumptions", { "error.language": "pt" });
    const wrong = { path: "/v1/payins", body: {} };
    expect(await namesOf(sandbox, { ...wrong, token: "shop" })).toBe("error.language=pt");
    expect(await namesOf(sandbox, { ...wrong, token: "other" })).toBeUndefined();
    await control(sandbox, "shop", "PATCH /assumptions", { "error.language": "en" });
    expect(await namesOf(sandbox, { ...wrong, token: "shop" })).toBeUndefined();
  });

  it("names all that were asked where it is to explain, defaults and single choices too", async () => {
    await using sandbox = await startSandbox({ explain: true });
    const named = [];
    for (const request of REQUESTS) named.push(await namesOf(sandbox, request));
    expect(named).toEqual([
      expect.stringContaining("value.unit=reais"),
      expect.stringContaining("payin.v2=only"),
      "country_code=two_letters, payin.v2=only, error.language=en",
      expect.stringMatching(/payout\.recipient=receiver_cpf, payout\.auto=never/),
      expect.stringContaining("payout.rival=cancel"),
      expect.stringMatching(/environment=staging.*error\.status=distinct, error\.language=en/),
      expect.stringContaining("environment=staging"),
      expect.stringContaining("webhook.configuration=only"),
      expect.stringContaining("webhook.configuration=only"),
      "error.language=en",
    ]);
    const first = await namesOf(sandbox, { path: "/v1/payins", body: PAYIN });
    expect(first).not.toMatch(/payout|webhook|qr_code|error|final/);
  });

  it("is on no answer of a control route", async () => {
    await using sandbox = await startSandbox({
      explain: true,
      assumptions: { "error.language": "pt" },
    });
    for (const path of ["/_sandbox/payins", "/_sandbox/payins/none", "/_sandbox/nothing"])
      expect(await namesOf(sandbox, { method: "GET", path })).toBeUndefined();
  });

  it("counts as asked what the readers of bodies are made from", () => {
    const asked = new Set<unknown>(["webhook.configuration"]);
    const assumptions = new Proxy(STANDARD_ASSUMPTIONS, {
      get(target, name) {
        asked.add(name);
        return Reflect.get(target, name) as unknown;
      },
    });
    const { payout } = readersFor(assumptions);
    for (const type of ["cpf", "email", "phone", "evp"]) payout({ ...PAYOUT, pix_key_type: type });
    expect([...asked].toSorted()).toEqual([...new Set(Object.values(READ_BY).flat())].toSorted());
  });
});

async function namesOf(sandbox: Sandbox, request: Call): Promise<string | undefined> {
  return (await call(sandbox, request)).headers["x-sandbox-assumption"];
}
