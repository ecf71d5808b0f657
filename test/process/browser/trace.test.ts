import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";
import {
  findBarriers,
  startBrowser,
  type TestBrowser,
  type TestPage,
} from "../../support/browser.ts";
import { createFolder } from "../../support/folder.ts";
import { requests } from "../../support/fixtures.ts";
import { call, control, type Json } from "../../support/gateway.ts";
import { startMerchant } from "../../support/merchant.ts";

const HOSTILE = `</script><img src=x onerror="document.title='owned'"><!--`;

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** A shop whose handler fails: one payin is paid, and its webhook refused; another one waits. */
async function runShop(sandbox: Sandbox): Promise<{ readonly waiting: string }> {
  await using merchant = await startMerchant({ answer: () => ({ status: 500, body: HOSTILE }) });
  const create = async (name: string): Promise<string> => {
    const body = { ...requests.get("payin"), buyer_name: name, webhook_url: merchant.url };
    const { json } = await call(sandbox, { path: "/v1/payins", token: "tests", body });
    return String((json as Json)["id"]);
  };
  const paid = await create(`Maria ${HOSTILE}`);
  await control(sandbox, "tests", `POST /payins/${paid}/pay`);
  await control(sandbox, "tests", "POST /settle");
  return { waiting: await create("Joana") };
}

async function openTrace(file: string): Promise<TestPage> {
  const opened = await browser.open(pathToFileURL(file).href, { offline: true });
  await opened.page.locator('html[data-ready="true"]').waitFor();
  return opened;
}

describe("a trace", { timeout: 120_000 }, () => {
  it("opens from the disk, goes back, and goes on from there", async () => {
    await using folder = await createFolder();
    const file = folder.at("trace.html");
    const sandbox = await startSandbox({ trace: file, assumptions: { "webhook.retries": "none" } });
    const { waiting } = await runShop(sandbox);
    await sandbox.close();

    await using opened = await openTrace(file);
    const { page, problems } = opened;
    const list = page.locator(".list-side");
    await list.getByText("webhook").first().waitFor();
    // Before the payment, nothing was paid.
    const moments = page.getByTestId("moments");
    const last = Number(await moments.getAttribute("max"));
    await moments.fill("0");
    await list.getByText("Nothing has happened yet").waitFor();
    await moments.fill(String(last));

    expect(await findBarriers(page)).toEqual([]);

    await page.getByTestId("continue").click();
    await page.getByTestId("back").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const settled = await page.evaluate(async (id) => {
      await fetch(`/_sandbox/payins/${id}/pay`, { method: "POST" });
      await fetch("/_sandbox/settle", { method: "POST" });
      const response = await fetch(`/_sandbox/deliveries?transaction_id=${id}`);
      return ((await response.json()) as { data: { status: string; attempts: unknown[] }[] }).data;
    }, waiting);
    // The simulated shop accepts only a webhook whose signature is right.
    expect(settled).toMatchObject([{ status: "delivered", attempts: [{ status: 200 }] }]);
    expect(await page.title()).not.toBe("owned");
    expect(problems.filter((one) => !one.startsWith("request to blob:"))).toEqual([]);
  });

  it("refuses changes until one goes on from it", async () => {
    await using folder = await createFolder();
    const file = folder.at("trace.html");
    const sandbox = await startSandbox({ trace: file });
    const { waiting } = await runShop(sandbox);
    await sandbox.close();

    await using opened = await openTrace(file);
    const status = await opened.page.evaluate(async (id) => {
      const { status: refused } = await fetch(`/_sandbox/payins/${id}/pay`, { method: "POST" });
      const response = await fetch(`/_sandbox/payins/${id}`);
      return [refused, ((await response.json()) as { status: string }).status];
    }, waiting);
    expect(status).toEqual([422, "waiting"]);
  });

  it("is what another sandbox starts with", async () => {
    await using folder = await createFolder();
    const file = folder.at("trace.html");
    const sandbox = await startSandbox({ trace: file });
    const { waiting } = await runShop(sandbox);
    const before = await control(sandbox, "tests", `GET /payins/${waiting}`);
    await sandbox.close();

    await using again = await startSandbox({ from: file });
    const after = await control(again, "shop-1", `GET /payins/${waiting}`);
    expect(masked(after)).toEqual(masked(before));
    expect(again.secret).not.toBe(sandbox.secret);
  });

  it("is refused if it is none, or the state is not new", async () => {
    await using folder = await createFolder();
    const file = folder.at("trace.html");
    await writeFile(file, "<html></html>");
    await expect(startSandbox({ from: file })).rejects.toMatchObject({ name: "StateFileError" });

    const sandbox = await startSandbox({ trace: file });
    await sandbox.close();
    const stateFile = folder.at("state.json");
    await (await startSandbox({ stateFile, from: file })).close();
    const before = await readFile(stateFile, "utf8");
    await expect(startSandbox({ stateFile, from: file })).rejects.toMatchObject({
      name: "StateFileError",
    });
    expect(await readFile(stateFile, "utf8")).toBe(before);
  });
});

/** A record without what a trace replaces. */
function masked({
  buyer_cpf: _cpf,
  buyer_name: _name,
  buyer_email: _email,
  integration: _integration,
  ...rest
}: Json): unknown {
  return rest;
}
