import { BUYER, RECEIVER } from "../support/calls.ts";
import { describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { createFolder } from "../support/folder.ts";
import { type Call, call, control, type Json } from "../support/gateway.ts";

const PAYIN = { ...BUYER, webhook_url: "http://127.0.0.1:9/hook" };
const PAYOUT = { ...RECEIVER, webhook_url: "http://127.0.0.1:9/hook" };
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
  it("is on no response if every choice is the default", async () => {
    await using sandbox = await startSandbox();
    for (const request of REQUESTS) expect(await namesOf(sandbox, request)).toBeUndefined();
  });

  it("names each changed choice that the response depends on, and no other", async () => {
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

  it("uses the choices of the calling integration", async () => {
    await using sandbox = await startSandbox();
    await control(sandbox, "shop", "PATCH /assumptions", { "error.language": "pt" });
    const wrong = { path: "/v1/payins", body: {} };
    expect(await namesOf(sandbox, { ...wrong, token: "shop" })).toBe("error.language=pt");
    expect(await namesOf(sandbox, { ...wrong, token: "other" })).toBeUndefined();
    await control(sandbox, "shop", "PATCH /assumptions", { "error.language": "en" });
    expect(await namesOf(sandbox, { ...wrong, token: "shop" })).toBeUndefined();
  });

  it("names all that were read with --explain, defaults and single choices too", async () => {
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
    expect(first).not.toMatch(/payout|webhook|qr_code|error|final|phone|evp/);
  });

  it("is on no answer of a control route", async () => {
    await using sandbox = await startSandbox({
      explain: true,
      assumptions: { "error.language": "pt" },
    });
    for (const path of ["/_sandbox/payins", "/_sandbox/payins/none", "/_sandbox/nothing"])
      expect(await namesOf(sandbox, { method: "GET", path })).toBeUndefined();
  });

  it("names what the reader of a body was built from, in each answer that it reads", async () => {
    await using sandbox = await startSandbox({ explain: true });
    const first = await namesOf(sandbox, { path: "/v1/payouts", body: {} });
    expect(first).toContain("cpf.check=shape, phone.size=either, evp.form=any");
    expect(await namesOf(sandbox, { path: "/v1/payouts", body: {} })).toBe(first);
  });
});

it("a choice that was changed while a sandbox ran applies after a restart, unless the start's options change it", async () => {
  await using folder = await createFolder();
  const stateFile = folder.at("state.json");
  const changes = { "payout.rival": "allow", "cpf.check": "check_digits" };
  {
    await using sandbox = await startSandbox({ stateFile });
    await control(sandbox, undefined, "PATCH /assumptions", changes);
  }
  for (const assumptions of [{}, { "payout.rival": "reject" }]) {
    await using sandbox = await startSandbox({ stateFile, assumptions });
    const { data } = await control(sandbox, undefined, "GET /assumptions");
    const choices = (data as Json[]).map(({ name, choice }) => [name, choice] as const);
    expect(Object.fromEntries(choices)).toMatchObject({ ...changes, ...assumptions });
  }
});

async function namesOf(sandbox: Sandbox, request: Call): Promise<string | undefined> {
  return (await call(sandbox, request)).headers["x-sandbox-assumption"];
}
