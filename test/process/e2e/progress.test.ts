import { expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { startSandbox } from "../../../src/client/start.ts";
import { startOnTerminal } from "../../support/terminal.ts";
import { lacks } from "../../support/lacks.ts";

const CLEARED = "\r\u001b[K";

it.skipIf(lacks("python3"))("shows on a terminal what wait waits for, and clears it", async () => {
  await using sandbox = await startSandbox({ clock: "frozen" });
  await using terminal = startOnTerminal([
    process.execPath,
    BIN,
    "wait",
    "payin.expired",
    "--timeout",
    "2s",
    "--url",
    sandbox.url,
  ]);
  await terminal.shows(`${CLEARED}Waiting for payin.expired, at most 2s… 1 s`);
  expect(await terminal.ended).toBe(6);
  expect(terminal.screen).toContain(`${CLEARED}\u001b[31m`);
});
