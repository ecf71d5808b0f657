import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../../../src/server/start.ts";
import { hasCpfCheckDigits } from "../../../src/core/records/cpf.ts";
import { readTrace, recordsAt, type Trace } from "../../../src/server/trace/trace.ts";
import { requests } from "../../support/fixtures.ts";
import { call, control, type Json } from "../../support/gateway.ts";

const PRIVATE = {
  token: "loja-da-maria-secreta",
  cpf: "11144477735",
  name: "Joaquim José da Silva Xavier",
  email: "joaquim.xavier+pix@mail.example",
  key: "+5511987654321",
};

async function traceOf(sandbox: Sandbox, query = ""): Promise<{ html: string; trace: Trace }> {
  const response = await sandbox.fetch(`/_sandbox/trace${query}`);
  const html = await response.text();
  return { html, trace: readTrace(html, "trace.html") };
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
    const { trace } = await traceOf(sandbox);
    const records = recordsAt(trace);
    const payin = records.payins.get(id);
    const [payout] = records.payouts.all();
    expect(payin?.integration).toBe("shop-1");
    expect(hasCpfCheckDigits(payin?.buyerCpf ?? "")).toBe(true);
    expect(payout).toMatchObject({ receiverCpf: payin?.buyerCpf, receiverName: payin?.buyerName });
    expect(payout?.pixKey).toMatch(/^\+55119\d{8}$/);
    expect(payin?.description).toBe(`for ${payin?.buyerName}, ${payin?.buyerCpf}`);
    expect(trace.requests[0]?.body).toContain(payin?.buyerEmail);
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
      const { trace } = await traceOf(sandbox);
      const payin = recordsAt(trace).payins.get(id);
      expect(payin).toMatchObject({
        status: "paid",
        webhookUrl: requests.get("payin")?.["webhook_url"],
      });
      expect(payin?.buyerName).not.toBe(name);
      expect(trace.requests).toMatchObject([{ id: "req_1", method: "POST", path: "/v1/payins" }]);
    },
  );

  it("keeps the values if that is requested, but no secret", async () => {
    await using sandbox = await startSandbox();
    await sell(sandbox);
    const { html, trace } = await traceOf(sandbox, "?masked=false");
    expect(trace.masked).toBe(false);
    expect(html).toContain(PRIVATE.name);
    expect(html).not.toContain(sandbox.secret);
  });
});
