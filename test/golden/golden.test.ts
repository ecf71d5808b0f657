import { expect, it } from "vitest";
import { chapters, expectEveryRoute } from "./chapters.ts";

it("answers every call as expected.txt says", { timeout: 300_000 }, async () => {
  const text: string[] = [];
  for await (const [title, lines] of chapters()) text.push(`## ${title}`, ...lines, "");
  await expect(text.join("\n")).toMatchFileSnapshot("expected.txt");
});

it("has a chapter for each control route", expectEveryRoute);
