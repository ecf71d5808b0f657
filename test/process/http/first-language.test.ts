import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { translate } from "../../../src/text/languages.ts";
import { say } from "../../../src/text/message.ts";
import { startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";

const NOT_JSON = "O corpo não é JSON: erro na linha 1, coluna 2.";

/** The message of a refusal. */
async function refusalOf(url: string, headers: Record<string, string> = {}, method = "POST") {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", "x-api-token": "shop", ...headers },
    ...(method !== "GET" && { body: "{" }),
  });
  const { message } = (await response.json()) as { message: string };
  return message;
}

describe("the first response of a process", { timeout: 60_000 }, () => {
  it("is in the language that its call requests", async () => {
    await using serving = await startServe(["--memory"]);
    const headers = { "x-sandbox-language": "pt" };
    expect(await refusalOf(`${serving.url}/v1/payins`, headers)).toBe(NOT_JSON);
  });

  it("is in the language that was chosen at the start", async () => {
    await using serving = await startServe(["--memory", "--assume", "error.language=pt"]);
    expect(await refusalOf(`${serving.url}/v1/payins`)).toBe(NOT_JSON);
  });

  it("is in the language that the state has stored", async () => {
    await using folder = await createFolder();
    const args = ["--state", folder.at("state.json")];
    {
      await using serving = await startServe(args);
      await fetch(`${serving.url}/_sandbox/assumptions`, {
        method: "PATCH",
        headers: { "content-type": "application/json", "x-api-token": "shop" },
        body: JSON.stringify({ "error.language": "pt" }),
      });
      await serving.stop();
    }
    await using serving = await startServe(args);
    expect(await refusalOf(`${serving.url}/v1/payins`)).toBe(NOT_JSON);
  });

  it("is in the browser's language, if it is a page", async () => {
    await using serving = await startServe(["--memory"]);
    const page = await fetch(`${serving.url}/_sandbox/pay/unknown`, {
      headers: { "accept-language": "pt-BR" },
    });
    expect(await page.text()).toContain(translate(say`Unknown charge`, "pt"));
  });

  it("needs no texts in other languages, if it is English", async () => {
    await using folder = await createFolder();
    const recorder = folder.at("recorder.cjs");
    await writeFile(
      recorder,
      `process.once("exit", () => require("node:fs").writeFileSync(process.env.LOADED, Object.keys(require.cache).join("\\n")));`,
    );
    const env = {
      NODE_OPTIONS: `--require=${recorder}`,
      LOADED: folder.at("loaded"),
      // The chunks are in \`require.cache\` if Node's own loader has loaded them.
      NODE_DISABLE_COMPILE_CACHE: "1",
    };
    await using serving = await startServe(["--memory"], { env });
    expect((await fetch(`${serving.url}/_sandbox/health`)).status).toBe(200);
    await serving.stop();
    const loaded = await readFile(folder.at("loaded"), "utf8");
    expect(loaded).toContain("/start");
    expect(loaded).not.toContain("pt-BR");
  });
});
