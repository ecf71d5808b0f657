import { describe, expect, it } from "vitest";
import { type Member, startMember } from "../../../src/sandbox/team/member.ts";
import { callsTo } from "../../support/calls.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";
import { parseMetrics, type ScrapedFamily, valueOf } from "../../support/prometheus.ts";

async function scrape({ url }: Member): Promise<ReadonlyMap<string, ScrapedFamily>> {
  return parseMetrics(await (await fetch(`${url}/_sandbox/metrics`)).text());
}

describe.skipIf(NO_POSTGRES !== "")(`the metrics of a team${NO_POSTGRES}`, () => {
  it("show who leads, the lease, and how far the standby is", { timeout: 60_000 }, async () => {
    await using server = await startPostgres();
    const stateFile = `${server.url(await server.createDatabase())}?lease=10`;
    const start = async (): Promise<Member> => startMember({ stateFile }, () => undefined);
    const leader = await start();
    const sandbox = await leader.leading();
    const standby = await start();
    try {
      expect(await standby.first()).toBeUndefined();
      const calls = callsTo(sandbox.url, "shop");
      await calls.createPayin({ webhook_url: "http://127.0.0.1:1/hook" });

      const leading = await scrape(leader);
      expect(valueOf(leading, "pix_sandbox_role", { role: "leader" })).toBe(1);
      expect(valueOf(leading, "pix_sandbox_lease_age_seconds")).toBeGreaterThanOrEqual(0);
      expect(valueOf(leading, "pix_sandbox_lease_age_seconds")).toBeLessThan(60);
      const position = valueOf(leading, "pix_sandbox_journal_position");
      expect(position).toBeGreaterThan(0);
      expect(valueOf(leading, "pix_sandbox_journal_append_duration_seconds_count")).toBeGreaterThan(
        0,
      );
      const positionOf = async (member: Member): Promise<number | undefined> =>
        valueOf(await scrape(member), "pix_sandbox_journal_position");
      await expect.poll(() => positionOf(standby), { timeout: PATIENCE_MS }).toBe(position);
      const standing = await scrape(standby);
      expect(valueOf(standing, "pix_sandbox_role", { role: "standby" })).toBe(1);
      expect(standing.get("pix_sandbox_lease_age_seconds")?.samples).toEqual([]);

      await leader.close();
      await standby.leading();
      const succeeding = await scrape(standby);
      expect(valueOf(succeeding, "pix_sandbox_role", { role: "leader" })).toBe(1);
      expect(valueOf(succeeding, "pix_sandbox_records", { kind: "payin" })).toBe(1);
    } finally {
      await leader.close();
      await standby.close();
    }
  });
});
