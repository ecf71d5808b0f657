import { describe, it } from "vitest";
import { useCorpus } from "../store/damage.ts";
import { judgeAllFlips } from "../store/flips.ts";

useCorpus();

describe("a journal with any one bit flipped", { timeout: 120_000 }, () => {
  it("starts without a damaged last line, and refuses any other damaged line by its number", () =>
    judgeAllFlips());
});
