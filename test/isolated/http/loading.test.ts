import { describe, expect, it, vi } from "vitest";
import { loadRoutes } from "../../../src/http/routes/all-routes.ts";
import { startSandbox } from "../../../src/server/start.ts";

const loaded: string[] = [];
vi.mock(import("../../../src/http/routes/payins.ts"), (original) => note("payins", original));
vi.mock(import("../../../src/http/routes/openapi.ts"), (original) => note("openapi", original));
vi.mock(import("../../../src/http/routes/events.ts"), () => {
  throw new Error("EMFILE: too many open files");
});

function note<Module>(name: string, original: () => Promise<Module>): Promise<Module> {
  loaded.push(name);
  return original();
}

describe("the routes", { timeout: 60_000 }, () => {
  it("are not loaded any more when the sandbox is closed", async () => {
    await loadRoutes({ closing: AbortSignal.abort(), report: () => undefined });
    expect(loaded).toEqual([]);
  });

  it("are all loaded after the first call; one that cannot be is reported, and answers 503", async () => {
    const reported: string[] = [];
    await using sandbox = await startSandbox({ report: (line) => reported.push(line) });
    expect(loaded).toEqual([]);
    await fetch(`${sandbox.url}/unknown`);
    await expect.poll(() => loaded).toEqual(["payins", "openapi"]);
    expect(reported).toHaveLength(1);

    const answer = await sandbox.fetch("/_sandbox/events");
    expect([answer.status, await answer.json()]).toEqual([
      503,
      {
        message:
          "The sandbox could not load this route. Its standard error gives the reason. Try again, or restart it.",
        code: "EXTERNAL_ERROR",
        errors: [],
      },
    ]);
    expect(reported).toHaveLength(2);
    expect((await sandbox.fetch("/_sandbox/payins")).status).toBe(200);
  });
});
