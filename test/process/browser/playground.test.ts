import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findBarriers, startBrowser } from "../../support/browser.ts";
import { createFolder } from "../../support/folder.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The texts of the guide's three steps, and of its buttons. */
const LANGUAGES = [
  { locale: "en-US", steps: ["1 of 3", "2 of 3", "its signature is valid"] },
  { locale: "pt-BR", steps: ["1 de 3", "2 de 3", "a assinatura é válida"] },
];

describe("the playground", { timeout: 120_000 }, () => {
  it.each(LANGUAGES)("leads through the first payment: $locale", async ({ locale, steps }) => {
    await using folder = await createFolder();
    const { status, stderr } = spawnSync(process.execPath, ["build/playground.js", folder.path], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const page = await readFile(folder.at("index.html"));
    const server = http.createServer((request, response) => {
      const isPage = request.url === "/play/";
      response.writeHead(isPage ? 200 : 404, { "content-type": "text/html" });
      response.end(isPage ? page : "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await using browser = await startBrowser();
    try {
      await using opened = await browser.open(`http://127.0.0.1:${port}/play/`, { locale });
      const guide = opened.page.getByTestId("guide");
      for (const [index, step] of steps.entries()) {
        await guide.getByText(step).waitFor();
        if (index < 2) await opened.page.getByTestId("guide-next").click();
      }
      const timeline = opened.page.getByTestId("timeline");
      await timeline.getByText("shop.example/webhooks/pix", { exact: true }).waitFor();
      expect(await findBarriers(opened.page)).toEqual([]);
      const others = (one: string): boolean => !/^request to blob:|favicon/.test(one);
      expect(opened.problems.filter(others)).toEqual([]);
    } finally {
      server.close();
    }
  });
});
