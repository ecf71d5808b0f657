import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { callsTo } from "../support/calls.ts";
import { runCli, startServe } from "../support/cli.ts";
import { createFolder } from "../support/folder.ts";

const webhook_url = "http://127.0.0.1:9/hook";

/** What the page says, in its order. */
describe("docs/persistence.md", { timeout: 120_000 }, () => {
  it("says what the files are, and what becomes of them", async () => {
    await using folder = await createFolder();
    const page = await readFile(new URL("../../docs/persistence.md", import.meta.url), "utf8");
    expect(page.match(/\S+/g)?.length).toBeLessThanOrEqual(500);
    const [, ...rows] = [...page.matchAll(/^\| `(state\.json.*?)` \|/gm)].map(([, name]) => name);
    const file = folder.at("state.json");
    const args = ["--state", file];
    await using first = await startServe(args);
    const calls = callsTo(first.url);
    await calls.control("PUT", "/snapshots/name");
    const { body } = await calls.createPayin({ webhook_url });
    const names = (await readdir(folder.path)).filter((name) => name !== "state.json");
    expect(
      names
        .map((name) =>
          name
            .replace(/\d+(?=\.journal)/, "N")
            .replace(/[0-9a-f]{8}(?=\.sock)/, "…")
            .replace("name", "NAME"),
        )
        .toSorted(),
    ).toEqual([...rows].toSorted());

    const second = await runCli(["serve", "--port", "0", ...args]);
    expect([second.code, second.stderr]).toEqual([
      7,
      expect.stringContaining(`process id ${first.ready.pid}.`),
    ]);
    await first.stop("SIGKILL");
    const journal = folder.at(
      (await readdir(folder.path)).findLast((name) => name.endsWith(".journal")) ?? "",
    );
    await appendFile(journal, '{"crc32":"0');
    await using next = await startServe(args);
    expect(await callsTo(next.url).control("GET", `/payins/${body.id}`)).toMatchObject({
      id: body.id,
    });
    const { code, stderr } = await next.stop();
    expect([code, stderr]).toEqual([0, expect.stringContaining("is incomplete or damaged")]);
    expect((await readdir(folder.path)).toSorted()).toEqual([
      "state.json",
      "state.json.name.snapshot",
    ]);

    // A record on each line, to be edited.
    const text = await readFile(file, "utf8");
    expect(
      text
        .split("\n")
        .filter((line) => line.startsWith(`{"id":"${body.id}"`) || line.includes(`"${body.id}"`)),
    ).toHaveLength(1);
    await writeFile(file, text.replaceAll("Maria da Silva", "Joana da Silva"));
    await using edited = await startServe(args);
    expect(
      JSON.stringify(await callsTo(edited.url).control("GET", `/payins/${body.id}`)),
    ).toContain("Joana");
    await edited.stop();

    for (const [damage, reason] of [
      [
        (whole: string) => whole.replace(`"${body.id}"`, body.id),
        /The state .*state\.json cannot be read: line \d+ is damaged/,
      ],
      [
        (whole: string) => whole.replace('"version":3', '"version":2'),
        /another version of pix-sandbox wrote it.*move it away/,
      ],
    ] as const) {
      const damaged = damage(text);
      await writeFile(file, damaged);
      const refused = await runCli(["serve", "--port", "0", ...args]);
      expect([refused.code, refused.stderr]).toEqual([9, expect.stringMatching(reason)]);
      expect(await readFile(file, "utf8")).toBe(damaged);
    }
  });
});
