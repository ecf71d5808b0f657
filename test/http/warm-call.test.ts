import { Session } from "node:inspector/promises";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/server/start.ts";
import { callsTo } from "../support/calls.ts";
import { createFolder } from "../support/folder.ts";

/** Whoever follows a payin through the source opens so many files. */
const MAX_FILES = 45;

describe("a warm POST /v1/payins", () => {
  it(`runs at most ${MAX_FILES} files of the source, with a state file, the request log and the reviewer`, async () => {
    await using folder = await createFolder();
    await using sandbox = await startSandbox({ stateFile: folder.at("state.json") });
    // Otherwise they are loaded between the calls.
    await import("../../src/http/routes/table.ts");
    const { createPayin } = callsTo(sandbox.url);
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true });
    const runs: string[][] = [];
    for (let run = 0; run < 20; run++) {
      const { status } = await createPayin({ webhook_url: "http://127.0.0.1:9/hook" });
      expect(status).toBe(200);
      runs.push(await filesRun(session));
    }
    session.disconnect();
    // The first calls build what later ones find; a timer can ring during any.
    const least = runs.toSorted((one, other) => one.length - other.length)[0] ?? [];
    expect(least.length).toBeGreaterThan(MAX_FILES / 2);
    expect(least.slice(MAX_FILES)).toEqual([]);
  });
});

/** The files of the source of which a function has run since the last call. */
async function filesRun(session: Session): Promise<string[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ran = result.filter(({ functions }) =>
    functions.some(({ ranges: [whole] }) => whole !== undefined && whole.count > 0),
  );
  const names = ran.flatMap(({ url }) => /\/(src\/.+\.ts)$/.exec(url)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}
