import { describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/server/start.ts";
import { callsTo } from "../../support/calls.ts";
import { createFolder } from "../../support/folder.ts";
import { call } from "../../support/gateway.ts";

const METRICS = { method: "GET", path: "/_sandbox/metrics" };
const POSITION = /^pix_sandbox_journal_position (\d+)$/m;

describe("GET /_sandbox/metrics", () => {
  it("shows the position in the journal, and the process", async () => {
    await using folder = await createFolder();
    await using sandbox = await startSandbox({ stateFile: folder.at("state.json") });
    const scrape = async () => {
      const { status, headers, text } = await call(sandbox, METRICS);
      const type = "text/plain; version=0.0.4; charset=utf-8";
      expect([status, headers["content-type"]]).toEqual([200, type]);
      expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
      return Number(POSITION.exec(text)?.[1]);
    };
    const before = await scrape();
    await callsTo(sandbox.url).createPayin({ webhook_url: "http://127.0.0.1:1/hook" });
    expect(await scrape()).toBe(before + 1);
  });

  it("shows no position of a state in memory", async () => {
    await using sandbox = await startSandbox();
    expect((await call(sandbox, METRICS)).text).not.toMatch(POSITION);
  });

  it("needs the control token, if there is one", async () => {
    await using sandbox = await startSandbox({ controlToken: "secret" });
    expect(await call(sandbox, METRICS)).toMatchObject({ status: 401 });
    const headers = { authorization: "Bearer secret" };
    expect(await call(sandbox, { ...METRICS, headers })).toMatchObject({ status: 200 });
  });
});
