import { writeFile } from "node:fs/promises";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { UnreadOptions } from "../../src/cli/commands/serve.ts";
import { applyVariables } from "../../src/cli/definition/reading.ts";
import { servingCommand } from "../../src/cli/serving/command.ts";
import { COMMAND_ROWS, type Unread, variableOf } from "../../src/server/options/options.ts";
import { createFolder } from "../support/folder.ts";
import { runMain } from "../support/main.ts";

describe("an option of serve", { timeout: 60_000 }, () => {
  it("compiles only if something reads it", () => {
    expectTypeOf<Unread<never>>().toBeNever();
    // @ts-expect-error an option that nothing reads
    expectTypeOf<Unread<"unheardOf">>().not.toBeAny();
    expectTypeOf<UnreadOptions>().toBeNever();
  });

  it.each([
    ["public_url", "https://x.example/?a=b", /^Use a URL without a query, such as/m],
    ["public_url", "https://a:b@x.example", /^Use a URL without a query, such as/m],
    ["now", "9000-01-01T00:00:00Z", /before the year 9000/],
    ["tls_key", "key.pem", /also needs --tls-cert/],
  ])("has one check for flag, variable and config file: %s %s", async (member, value, hint) => {
    await using folder = await createFolder();
    const flag = `--${member.replaceAll("_", "-")}`;
    const variable = `PIX_SANDBOX_${member.toUpperCase()}`;
    await writeFile(folder.at("config.json"), JSON.stringify({ [member]: value }));
    const serve = ["serve", "--memory", "--port", "0"];
    for (const [args, env] of [
      [[flag, value], {}],
      [[], { [variable]: value }],
      [["--config", "config.json"], {}],
    ] as const) {
      const { code, stderr } = await runMain([...serve, ...args], { env, cwd: folder.path });
      expect(code).toBe(2);
      expect(stderr).toMatch(hint);
    }
  });

  it.each(["--state", "--config", "--ready-file", "--fixtures", "--allow-host", "--cors"])(
    "needs a value: %s",
    async (flag) => {
      const { code, stderr } = await runMain(["serve", "--port", "0", flag, ""]);
      expect(code).toBe(2);
      expect(stderr).toMatch(new RegExp(`^error: Invalid value "" for ${flag} <.+>\\.`));
    },
  );

  const switches = COMMAND_ROWS.filter(
    ([, { check, hasVariable = true }]) => check.kind === "switch" && hasVariable,
  );

  it.each(switches)("is off if its variable says so: %s", (name) => {
    const valueOf = (text: string): unknown => {
      const command = servingCommand("serve");
      applyVariables(command, { [variableOf(name)]: text });
      return [command.getOptionValue(name), command.getOptionValueSource(name)];
    };
    for (const text of ["0", "false", "off", "no", "FALSE"])
      expect(valueOf(text)).toEqual([false, "env"]);
    for (const text of ["1", "true"]) expect(valueOf(text)).toEqual([true, "env"]);
  });
});
