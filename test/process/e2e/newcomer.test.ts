import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolder } from "../../support/folder.ts";
import { freePort, startProcess } from "../../support/process.ts";
import { startOnTerminal } from "../../support/terminal.ts";
import { lacks } from "../../support/lacks.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const COLUMNS = 80;

describe.skipIf(lacks("python3"))(
  "a newcomer with an empty folder, the tarball and a terminal of 80 columns",
  { timeout: 120_000 },
  () => {
    let folder: Awaited<ReturnType<typeof createFolder>>;
    let environment: readonly string[];
    const npm = async (...args: string[]): Promise<void> => {
      await using program = startProcess("npm", args, { cwd: folder.path });
      const { code, stderr } = await program.ended;
      if (code !== 0) throw new Error(`npm ${args[0]} ended with ${code}: ${stderr}`);
    };
    beforeAll(async () => {
      folder = await createFolder();
      const { version } = JSON.parse(await readFile(`${ROOT}package.json`, "utf8")) as {
        version: string;
      };
      // The tests run on what was built; to pack must not build it again.
      await npm("pack", "--ignore-scripts", ROOT);
      await npm("init", "--yes");
      await npm("install", "--offline", "--no-audit", "--no-fund", `./pix-sandbox-${version}.tgz`);
      const port = await freePort();
      environment = [
        "env",
        "-C",
        folder.path,
        `PIX_SANDBOX_PORT=${port}`,
        `PIX_SANDBOX_URL=http://127.0.0.1:${port}`,
      ];
    }, 120_000);
    afterAll(() => folder[Symbol.asyncDispose]());

    it.each([
      ["en", "Ready.", "verified: the signature is valid"],
      ["pt-BR", "Pronto.", "verificado: a assinatura é válida"],
    ])("sees a verified webhook after two commands: %s", async (lang, ready, verified) => {
      const start = (...command: string[]) => {
        const line = [
          ...environment,
          `PIX_SANDBOX_LANG=${lang}`,
          "npx",
          "--no-install",
          ...command,
        ];
        const terminal = startOnTerminal(line);
        terminal.resize(24, COLUMNS);
        return terminal;
      };
      await using serving = start("pix-sandbox", "serve");
      await serving.shows(ready);
      await using triggering = start("pix-sandbox", "trigger", "payin.paid");
      expect(await triggering.ended).toBe(0);
      expect(triggering.screen).toContain(verified);
      await serving.shows("<--");
      const log = withoutColors(serving.screen);
      expect(log).toMatch(/-->  payin\.paid  evt_\w{8}  \w{8}  http:/);
      expect(log).toMatch(/<--  payin\.paid  evt_\w{8}  200  \d+ ms/);
      for (const line of log.split("\r\n").filter((one) => /^\d\d:/.test(one)))
        expect(line.length).toBeLessThanOrEqual(COLUMNS);
      serving.type("\u0003");
      await serving.ended;
    });
  },
);

function withoutColors(screen: string): string {
  // oxlint-disable-next-line no-control-regex -- colors are control sequences.
  return screen.replace(/\u001b\[\d+m/g, "");
}
