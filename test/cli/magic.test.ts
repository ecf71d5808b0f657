import { describe, expect, it } from "vitest";
import { MAGIC } from "../../src/core/faults/magic.ts";
import { english } from "../../src/text/languages.ts";
import { runMain, runMainJson, serveMain } from "../support/main.ts";
import { callsTo } from "../support/calls.ts";

const MEMBERS = { webhook_url: "http://127.0.0.1:9/hook", buyer_cpf: MAGIC[0]?.cpf };

describe("magic", { timeout: 60_000 }, () => {
  it("needs no sandbox, and lists each meaning with its CPF", async () => {
    const { code, stdout, stderr } = await runMain(["magic"]);

    expect(code).toBe(0);
    for (const row of MAGIC)
      expect(stdout).toContain(`${row.name}: ${english(row.happens)}\n  ${row.cpf}\n`);
    expect(stderr).toContain("--magic");
    const data = MAGIC.map(({ name, happens, cpf }) => ({
      name,
      happens: english(happens),
      cpf,
    }));
    expect(await runMainJson(["magic"])).toEqual({ data, next: null });
  });

  it.each([
    ["--magic", ["--magic"], {}, 422],
    ["PIX_SANDBOX_MAGIC", [], { PIX_SANDBOX_MAGIC: "1" }, 422],
    ["PIX_SANDBOX_MAGIC that is off", [], { PIX_SANDBOX_MAGIC: "0" }, 200],
    ["nothing", [], {}, 200],
  ])("holds by %s", async (_title, args, env, status) => {
    await using sandbox = await serveMain(["--memory", ...args], { env });
    expect(await callsTo(sandbox.url).createPayin(MEMBERS)).toMatchObject({ status });
  });
});
