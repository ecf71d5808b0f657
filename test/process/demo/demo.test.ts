import { expect, it } from "vitest";
import { findBarriers, startBrowser } from "../../support/browser.ts";
import { startCli } from "../../support/cli.ts";

it("sells to a browser, which pays and sees its order turn to paid", async () => {
  await using program = startCli(["demo", "--port", "0", "--json"]);
  const [line = ""] = await program.lines("stdout", 1);
  const ready = JSON.parse(line) as { readonly shop_url: string };
  await using browser = await startBrowser();
  const context = { locale: "pt-BR", viewport: { width: 360, height: 740 } };
  await using shop = await browser.open(ready.shop_url, context);

  await shop.page.getByTestId("buy-coffee").click();
  const status = shop.page.getByTestId("order-status");
  expect(await status.textContent()).toContain("aguardando pagamento");
  await shop.page.getByTestId("order-qr").waitFor();
  expect(await findBarriers(shop.page)).toEqual([]);

  await shop.page.getByTestId("pay-copy").click();
  await shop.page.getByTestId("pay-copy").getByText("Copiado").waitFor();

  // The payer's page is open elsewhere, as on a phone.
  const link = await shop.page.getByTestId("pay-link").getAttribute("href");
  await using phone = await browser.open(new URL(link ?? "", ready.shop_url).href, context);
  await phone.page.getByTestId("pay-button").click();
  await phone.page.locator('[data-testid="pay-status"][data-status="paid"]').waitFor();

  await shop.page.locator('[data-testid="order-status"][data-status="paid"]').waitFor();
  const steps = await shop.page.getByTestId("steps").textContent();
  expect(steps).toContain("Webhook payin.paid: assinatura válida, a loja responde 200.");
  expect([...shop.problems, ...phone.problems]).toEqual([]);
  expect(await program.stop("SIGINT")).toMatchObject({ code: 130, signal: null });
});
