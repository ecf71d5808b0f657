import { fileURLToPath } from "node:url";
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { startMerchant } from "../support/merchant.ts";
import { startProcess } from "../support/process.ts";
import { createProject } from "./consumers/project.ts";
import { TASKS } from "./agents/tasks.ts";

/**
 * Twelve tasks for a coding agent. By default a program plays the agent; PIX_AGENT names another one: a shell command
 * that works in its folder until what TASK.md asks is done. The folder has the package; the sandbox is in PIX_SANDBOX_URL.
 */
const PLAYER = fileURLToPath(new URL("agents/player.mjs", import.meta.url));
const AGENT = process.env["PIX_AGENT"] ?? `"${process.execPath}" "${PLAYER}"`;
/** An agent that thinks takes minutes. */
const LIMIT = { timeout: process.env["PIX_AGENT"] === undefined ? 60_000 : 1_800_000 };

describe("an agent", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  it.each(TASKS)("is asked: $name", LIMIT, async ({ prompt, prepare, check }) => {
    await sandbox.reset();
    await sandbox.clock.freeze();
    await sandbox.faults.clear();
    await using merchant = await startMerchant();
    await using project = await createProject(undefined, []);
    const folder = project.at(".");
    const shop = sandbox.integration("agent");
    const place = { folder, sandbox, shop, merchant };
    await prepare?.(place);
    // Nothing is done yet.
    expect(await check(place).catch(() => "not done")).not.toBe("");
    await sandbox.faults.clear();
    await writeFile(project.at("TASK.md"), `${prompt}\n`);
    await writeFile(project.at("AGENTS.md"), "Read node_modules/pix-sandbox/AGENTS.md first.\n");
    const env = { PIX_SANDBOX_URL: sandbox.url, PIX_SANDBOX_TOKEN: "agent" };
    await using agent = startProcess("sh", ["-c", AGENT], { cwd: folder, env });
    const { code, stderr } = await agent.ended;
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(await check(place)).toBe("");
  });
});
