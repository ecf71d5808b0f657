import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import { runCli } from "../../support/cli.ts";

describe("the times of commands", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ clock: "frozen", now: new Date("2026-03-12T13:02:00Z") });
  });
  afterAll(() => sandbox.close());

  it.each([
    ["UTC", "2026-03-12T13:02:00.000Z"],
    ["America/Sao_Paulo", "2026-03-12T10:02:00.000-03:00"],
    ["Asia/Kathmandu", "2026-03-12T18:47:00.000+05:45"],
  ])("are in the zone that TZ names, and in UTC in JSON: %s", async (TZ, time) => {
    const env = { TZ, PIX_SANDBOX_URL: sandbox.url };
    expect((await runCli(["clock"], { env })).stdout).toMatch(`${time}  frozen`);
    const json = await runCli(["clock", "--json"], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ now: "2026-03-12T13:02:00.000Z" });
  });
});
