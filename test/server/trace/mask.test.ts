import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../../../src/server/start.ts";
import type { Payin, Payout } from "../../../src/core/records/transaction.ts";
import { hasCpfCheckDigits, withCheckDigits } from "../../../src/core/records/checks.ts";
import { Masks } from "../../../src/server/trace/mask.ts";
import type { Trace } from "../../../src/wire/trace.ts";
import { requests } from "../../support/fixtures.ts";
import { call, control, type Json } from "../../support/gateway.ts";
import { readTrace } from "../../support/trace.ts";

const PRIVATE = {
  token: "loja-da-maria-secreta",
  cpf: "11144477735",
  name: "Joaquim José da Silva Xavier",
  email: "joaquim.xavier+pix@mail.example",
  key: "+5511987654321",
};

async function traceOf(sandbox: Sandbox): Promise<{ html: string; rows: Trace["rows"] }> {
  const response = await sandbox.fetch("/_sandbox/trace");
  const html = await response.text();
  return { html, rows: readTrace(html).rows };
}

async function sell(sandbox: Sandbox): Promise<string> {
  const { token, cpf, name, email, key } = PRIVATE;
  const buyer = { buyer_cpf: cpf, buyer_name: name, buyer_email: email };
  const { json } = await call(sandbox, {
    path: "/v1/payins",
    token,
    body: { ...requests.get("payin"), ...buyer, description: `for ${name}, ${cpf}` },
  });
  const id = String((json as Json)["id"]);
  await control(sandbox, token, `POST /payins/${id}/pay`);
  await call(sandbox, {
    path: "/v1/payouts",
    token,
    body: {
      ...requests.get("payout-phone"),
      receiver_cpf: cpf,
      receiver_name: name,
      receiver_email: email,
      pix_key: key,
    },
  });
  // Refused: nothing of it is in the records.
  await call(sandbox, {
    path: "/v1/payins",
    token,
    body: { ...requests.get("payin"), ...buyer, value: -1, buyer_email: "other@mail.example" },
  });
  return id;
}

describe("a trace", () => {
  it("contains no token, secret or personal value of the run", async () => {
    await using sandbox = await startSandbox();
    await sell(sandbox);
    const { html } = await traceOf(sandbox);
    const hidden = [...Object.values(PRIVATE), "other@mail.example", sandbox.secret, sandbox.seed];
    expect(hidden.filter((value) => html.includes(value))).toEqual([]);
  });

  it("has other values of the same shape in their place, each the same everywhere", async () => {
    await using sandbox = await startSandbox();
    const id = await sell(sandbox);
    const { rows } = await traceOf(sandbox);
    const payin = rows["/payins"].find((one) => one.id === id) as Payin | undefined;
    const [payout] = rows["/payouts"] as readonly Payout[];
    expect(payin?.integration).toBe("shop-1");
    expect(hasCpfCheckDigits(payin?.buyer_cpf ?? "")).toBe(true);
    expect(payout).toMatchObject({
      receiver_cpf: payin?.buyer_cpf,
      receiver_name: payin?.buyer_name,
    });
    expect(payout?.pix_key).toMatch(/^\+55119\d{8}$/);
    expect(payin?.description).toBe(`for ${payin?.buyer_name}, ${payin?.buyer_cpf}`);
    expect(rows["/requests"].at(-1)?.body).toContain(payin?.buyer_email);
  });

  it("masks the secrets of an address, and leaves its host", async () => {
    await using sandbox = await startSandbox();
    const webhook_url = "https://loja:hunter2@mail.example/hook?token=s3cr3t&order=1";
    const body = { ...requests.get("payin"), webhook_url };
    await call(sandbox, { path: "/v1/payins", token: PRIVATE.token, body });
    const { html, rows } = await traceOf(sandbox);
    const shown = "https://loja:***@mail.example/hook?token=***&order=1";
    expect(rows["/payins"]).toMatchObject([{ webhook_url: shown }]);
    expect(rows["/requests"][0]?.body).toContain(shown);
    expect(html).not.toMatch(/hunter2|s3cr3t/);
  });

  it.each(["text", "email", "token"] as const)("masks each CPF that stands for a %s", (kind) => {
    for (let number = 1; number <= 1000; number++) {
      const cpf = withCheckDigits(String(number * 999_983).padStart(9, "0"));
      const masks = new Masks();
      masks.learn(kind, cpf);
      const masked = String(masks.applyTo(cpf));
      expect(masked).not.toBe(cpf);
      expect(hasCpfCheckDigits(masked)).toBe(true);
    }
  });

  it("contains no personal value in another form, whatever a caller writes it in", async () => {
    await using sandbox = await startSandbox();
    await sell(sandbox);
    const { cpf, name, email } = PRIVATE;
    const dotted = "111.444.777-35";
    const forms = [
      name.toUpperCase(),
      "Joaquim Jose da Silva Xavier",
      `buyer=${encodeURIComponent(name)}&cpf=${cpf}`,
      `buyer=${new URLSearchParams({ name }).toString().slice(5)}`,
      encodeURIComponent(email).toLowerCase(),
      `https://shop.example/?buyer=${encodeURIComponent(email).replace("%40", "@")}`,
      Buffer.from(name).toString("base64"),
      Buffer.from(`x${email}`.slice(1)).toString("base64url"),
      `CPF%20${cpf}`,
      dotted,
      "11987654321",
    ];
    for (const description of forms)
      await call(sandbox, {
        path: "/v1/payins",
        token: PRIVATE.token,
        body: { ...requests.get("payin"), description },
      });
    // Found by their shape: no record has them.
    const strangers = ["eva.lima@loja.example", "390.533.447-05", "39053344705"];
    for (const description of strangers)
      await call(sandbox, {
        path: `/v1/payins?about=${encodeURIComponent(description)}`,
        token: PRIVATE.token,
        body: { ...requests.get("payin"), description: `for ${description}.` },
      });
    const { html } = await traceOf(sandbox);
    const lower = html.toLowerCase();
    const hidden = [...forms, ...strangers, "xavier", "390533447"];
    expect(hidden.filter((form) => lower.includes(form.toLowerCase()))).toEqual([]);
  });

  it.each(["paid", "waiting", "payin.paid", "http", "real", "2026", "POST", "Ana", "ok", "req_1"])(
    "is one though a buyer is called %s",
    async (name) => {
      await using sandbox = await startSandbox();
      const { json } = await call(sandbox, {
        path: "/v1/payins",
        token: "payins",
        body: { ...requests.get("payin"), buyer_name: name, description: `for ${name}` },
      });
      const id = String((json as Json)["id"]);
      await control(sandbox, "payins", `POST /payins/${id}/pay`);
      const { rows } = await traceOf(sandbox);
      const [payin] = rows["/payins"] as readonly Payin[];
      expect(payin).toMatchObject({
        id,
        status: "paid",
        webhook_url: requests.get("payin")?.["webhook_url"],
      });
      expect(payin?.buyer_name).not.toBe(name);
      expect(rows["/requests"]).toMatchObject([
        { id: "req_1", method: "POST", path: "/v1/payins" },
      ]);
    },
  );

  it("of an integration has its own rows, and the faults of all", async () => {
    await using sandbox = await startSandbox({ controlToken: "a-control-token" });
    const authorization = "Bearer a-control-token";
    for (const token of ["loja-ção", "other"]) {
      const body = requests.get("payin");
      await call(sandbox, { path: "/v1/payins", token, body });
    }
    await sandbox.fetch("/_sandbox/faults", {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ on: "webhook", effect: "duplicate" }),
    });
    const response = await sandbox.fetch("/_sandbox/trace", {
      headers: { authorization, "x-api-token": Buffer.from("loja-ção").toString("latin1") },
    });
    const { rows } = readTrace(await response.text());
    const counts = Object.entries(rows).map(([name, all]) => [name, all.length]);
    expect(Object.fromEntries(counts)).toEqual({
      "/payins": 1,
      "/payouts": 0,
      "/deliveries": 0,
      "/requests": 1,
      "/faults": 1,
      "/snapshots": 0,
      "/integrations": 1,
    });
  });
});
