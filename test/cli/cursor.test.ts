import { link, readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { CursorFile } from "../../src/cli/client/cursor.ts";
import { createFolder } from "../support/folder.ts";

describe("a cursor file", () => {
  it("is replaced atomically: a reader with an open file sees no half of it", async () => {
    await using folder = await createFolder();
    const cursor = new CursorFile(folder.at("cursor"));
    expect(await cursor.read()).toBeUndefined();
    await cursor.write({ stream: "0a", after: 12 });
    await link(folder.at("cursor"), folder.at("older"));
    await cursor.write({ stream: "0b", after: 13 });

    expect(await readFile(folder.at("older"), "utf8")).toBe("12 0a\n");
    expect((await readdir(folder.path)).toSorted()).toEqual(["cursor", "older"]);
    const next = new CursorFile(folder.at("cursor"));
    expect(await next.read()).toEqual({ stream: "0b", after: 13 });
  });
});
