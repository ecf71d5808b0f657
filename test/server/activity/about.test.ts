import { networkInterfaces } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../../src/wire/names.ts";
import { describeSandbox } from "../../../src/server/activity/about.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { createFolder } from "../../support/folder.ts";
import { validateOptions } from "../../../src/server/options/validate-options.ts";

const STARTED_MS = Date.parse("2026-11-21T12:00:00Z");
const LOCAL = { url: "http://127.0.0.1:7490", port: 7490, address: "127.0.0.1" };

describe("GET /_sandbox/about", () => {
  it("shows a sandbox in memory, which only this machine can open", async () => {
    await using sandbox = await startSandbox();
    const answer = await fetch(`${sandbox.url}/_sandbox/about`);
    expect(await answer.json()).toEqual({
      version: VERSION,
      url: sandbox.url,
      public_url: null,
      urls: [],
      state_file: null,
      explain: false,
      protected: false,
      magic: false,
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      program: "npx pix-sandbox",
    });
  });

  it("shows the settings of a sandbox, and the addresses for other machines", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state.json");
    const host = "0.0.0.0";
    await using sandbox = await startSandbox({
      stateFile,
      explain: true,
      magic: true,
      host,
      controlToken: "open-sesame",
    });
    const answer = await sandbox.fetch("/_sandbox/about", {
      headers: { authorization: "Bearer open-sesame" },
    });
    const external = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4");
    expect(await answer.json()).toMatchObject({
      urls: external.map(({ address }) => `http://${address}:${sandbox.port}`),
      state_file: stateFile,
      explain: true,
      protected: true,
      magic: true,
    });
  });
});

describe("the description of a sandbox", () => {
  it("has the public URL first, without a slash at its end", () => {
    const publicUrl = "https://tunnel.example/pix/";
    expect(describeSandbox(LOCAL, validateOptions({ publicUrl }), STARTED_MS)).toMatchObject({
      public_url: "https://tunnel.example/pix",
      urls: ["https://tunnel.example/pix"],
      started_at: "2026-11-21T12:00:00.000Z",
    });
  });

  it.each([
    ["192.168.0.10", "https://shop.local:7490", ["https://shop.local:7490"]],
    ["2001:db8::1", "http://[2001:db8::1]:7490", ["http://[2001:db8::1]:7490"]],
    ["::1", "http://[::1]:7490", []],
    ["127.0.0.2", "http://127.0.0.2:7490", []],
  ])(
    "has the URL of a server that listens on %s only, unless that is this machine",
    (address, url, urls) => {
      expect(
        describeSandbox({ ...LOCAL, address, url }, validateOptions({}), STARTED_MS).urls,
      ).toEqual(urls);
    },
  );

  it("has the whole path of the state file", () => {
    const { state_file: file } = describeSandbox(
      LOCAL,
      validateOptions({ stateFile: "a/state.json" }),
      STARTED_MS,
    );
    expect(file).toBe(path.resolve("a/state.json"));
  });

  it("has the address of a database without its password", () => {
    const stateFile = "postgres://maria:s3cret@db/shop?sandbox=team";
    expect(describeSandbox(LOCAL, validateOptions({ stateFile }), STARTED_MS).state_file).toBe(
      "postgres://maria:***@db/shop?sandbox=team",
    );
  });
});
