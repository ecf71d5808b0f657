import { spawnSync } from "node:child_process";
import { cp, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { Page, startStage } from "../support/documents.ts";
import { freePort } from "../support/process.ts";
import { lacks, type Need } from "../support/lacks.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));

const page = await Page.read("docs/frameworks.md");
const secret = page.take("sh", "export");
const check = page.take("sh", "check-webhook");
const shown = [...page.text.matchAll(/\]\(\.\.\/examples\/(\S+)\):\n\n```(\w+)\n/g)].map(
  ([, file = "", kind = ""]) => ({ file, block: page.take(kind) }),
);
const rows = [...page.text.matchAll(/^\| \[(\w+)\]\(#\w+\) \| .* \| `(.*)` \|$/gm)].map(
  ([, name = "", command = ""]) => ({ name, command, program: programOf(name) }),
);

describe("docs/frameworks.md", () => {
  it("has no block that is not run, except those of Laravel and Spring", () => {
    page.take("php", "Route::post");
    page.take("java", "@PostMapping");
    expect(page.untaken).toEqual([]);
    for (const name of ["Laravel", "Spring"]) expect(page.section(name)).toMatch(/^\s*Not run\. /);
  });

  it("shows a part of each file", async () => {
    expect(shown).toHaveLength(rows.length);
    for (const { file, block } of shown)
      expect(await readFile(EXAMPLES + file, "utf8")).toContain(`\n${block}\n`);
  });

  it("has the verification of the shops", async () => {
    for (const [shop, copy] of [
      ["python/webhook.py", "handlers/webhook.py"],
      ["ruby/webhook.rb", "handlers/webhook.rb"],
    ])
      expect(await readFile(EXAMPLES + copy, "utf8")).toBe(await readFile(EXAMPLES + shop, "utf8"));
  });

  describe.each(rows)("$name", ({ name, command, program }) => {
    it("verifies webhooks", { timeout: 90_000 }, async ({ skip }) => {
      skip(lacks(name as Need));
      await using stage = await startStage();
      await cp(`${EXAMPLES}handlers`, stage.at("."), { recursive: true });
      const port = String(await freePort());
      const [, ...args] = command.replace("3000", port).split(" ");
      // It reloads its files otherwise, in a second process.
      const flags = name === "Django" ? ["--noreload"] : [];
      await using handler = stage.start(
        `${secret}\nexec ${[...program, ...args, ...flags].join(" ")}`,
      );
      const url = `http://127.0.0.1:${port}/webhooks/pix`;
      await vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 50 });

      const checked = await stage.shell(check.replace("127.0.0.1:3000", `127.0.0.1:${port}`));
      expect(checked.stdout).toContain("Integration review: 0 failures, 0 warnings,");
      expect(checked.code).toBe(0);
      const payin = await stage.sandbox.payins.create({ webhookUrl: url });
      await stage.sandbox.payins.pay(payin.id);
      await handler.lines("stdout", 1, (line) => line === `payin.paid ${payin.id} paid`);
    });
  });
});

/** What starts a framework on this machine, in place of the first word of its command. */
function programOf(name: string): readonly string[] {
  if (name === "Rails") return ["rackup"];
  const module = { Flask: "flask", FastAPI: "uvicorn" }[name];
  // The packages of the system belong to its own Python.
  const { status } = spawnSync("python3", ["-c", `import ${name.toLowerCase()}`]);
  return [status === 0 ? "python3" : "/usr/bin/python3", ...(module ? ["-m", module] : [])];
}
