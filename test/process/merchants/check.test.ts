import { beforeAll, describe, expect, it } from "vitest";
import { judgeAll, judgeByCheck, VARIANTS, withImplied } from "../../merchants/judge.ts";

type Judged = Awaited<ReturnType<typeof judgeByCheck>>;

const isBroken = ({ verdict }: { readonly verdict: string }): boolean =>
  verdict === "fail" || verdict === "warning";

describe("check-webhook and more merchants", { timeout: 240_000 }, () => {
  let judged: ReadonlyMap<string, Promise<Judged>> = new Map();
  beforeAll(() => {
    judged = judgeAll(
      VARIANTS.map(({ name }) => name),
      judgeByCheck,
    );
  });

  it.each(VARIANTS)("$name", async ({ name, breaks }) => {
    const { rules, report } = (await judged.get(name)) as Judged;
    const broken = rules.filter(isBroken).map(({ id }) => id);
    if (breaks) {
      expect(broken).toContain(breaks);
      const implied = withImplied(breaks);
      expect(broken.filter((id) => !implied.has(id))).toEqual([]);
      return;
    }
    expect(rules.filter(isBroken)).toEqual([]);
    // What the check has created is not the merchant's.
    expect(report.filter(isBroken)).toEqual([]);
  });
});
