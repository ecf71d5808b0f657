import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Gateway } from "../../../src/core/operations/gateway.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { startServe } from "../../support/cli.ts";
import { serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { BUYER } from "../../support/calls.ts";
import { type Merchant, startMerchant } from "../../support/merchant.ts";
import {
  type Answer,
  EXPIRE,
  KINDS,
  ownStory,
  play,
  type Run,
  SETTLE,
  type Step,
  wholeStory,
} from "../../support/story.ts";

const SEED = "a seed with spaces";
const START = "2026-11-21T12:00:00Z";
const FROZEN = ["--memory", "--seed", SEED, "--clock", "frozen", "--now", START];

let merchant: Merchant;
beforeEach(async () => {
  merchant = await startMerchant({ answer: ({ path }) => (path === "/fails" ? 500 : 200) });
});
afterEach(() => merchant.close());

describe("two sandboxes with one seed and a frozen clock", { timeout: 60_000 }, () => {
  it("give the same requests the same answers, webhooks and records, to the byte", async () => {
    const story = wholeStory(merchant);
    const [one, again, other] = [await run(story), await run(story), await runProcess(story)];

    expect(again).toEqual(one);
    expect(other.answers).toEqual(one.answers);
    expect(other.webhooks).toEqual(one.webhooks);
    expect(other.ready).toEqual(one.ready);
    // Something was compared: every kind of record, and what chance decided either way.
    const lasts = one.answers.slice(-KINDS.length).map((answer) => pageOf(answer).length);
    expect(lasts.map((length) => length > 0)).toEqual(KINDS.map(() => true));
    const byChance = one.answers.filter((_, index) => story[index]?.key?.startsWith("luck"));
    expect(new Set(byChance.map((answer) => answer?.head[0]))).toEqual(new Set(["200", "422"]));
    expect(one.webhooks.size).toBe(3);
  });

  it("give a sandbox with another seed nothing in common but the sent values", async () => {
    const story = wholeStory(merchant);
    const [one, other] = [await run(story), await run(story, "another seed")];

    // The document shows everybody the same examples.
    const idsOf = ({ answers }: Run): Set<string> =>
      new Set(
        answers
          .filter((answer) => !answer?.text.startsWith('{"openapi":'))
          .flatMap((answer) => answer?.text.match(/(?<="id":")[^"]+|whsec_[\w+/]+/g) ?? []),
      );
    expect(idsOf(one).size).toBeGreaterThan(20);
    expect([...idsOf(one)].filter((id) => idsOf(other).has(id))).toEqual([]);
  });

  it("give each of two integrations the same, however their requests mingle", async () => {
    const shop = ownStory(merchant, "shop");
    const kiosk = ownStory(merchant, "kiosk");
    const mingled = kiosk.flatMap((step, index) => [step, shop[index] as Step]);
    const views = ["shop", "kiosk"].flatMap((token) =>
      KINDS.map(({ route }) => ({ route, token })),
    );
    const apart = await run([...shop, ...kiosk, EXPIRE, ...views]);
    const together = await run([...mingled, EXPIRE, ...views]);

    expect(together.answers.slice(-views.length)).toEqual(apart.answers.slice(-views.length));
    expect(together.webhooks).toEqual(apart.webhooks);
    for (const token of ["shop", "kiosk"])
      expect(apart.webhooks.get(`/${token}`)?.length).toBeGreaterThan(5);
  });
});

describe("a persistent state", { timeout: 60_000 }, () => {
  it("gives the same, however often its sandbox is stopped and started again", async () => {
    const ends = [EXPIRE, ...KINDS];
    // What is gone counts on: no fault has the id of one before it.
    const removed: Step = { route: "DELETE /_sandbox/faults", token: "shop" };
    const first = [...ownStory(merchant, "shop"), removed];
    const parts = [first, ownStory(merchant, "kiosk"), ownStory(merchant, "shop", "later"), ends];
    const story = parts.flat();
    const { answers, webhooks } = await run(story);

    await using folder = await createFolder();
    const kept = ["--state", folder.at("state.json"), "--clock", "frozen"];
    const interrupted: Run[] = [];
    for (const [index, part] of parts.entries()) {
      const args = index === 0 ? [...kept, "--seed", SEED, "--now", START] : kept;
      await using serving = await serveMain(args);
      interrupted.push(await play(serving, merchant, part));
      await serving.stop();
    }
    expect(interrupted.flatMap((one) => one.answers)).toEqual(answers);
    const told = interrupted.flatMap((one) => one.webhooks.get("/shop") ?? []);
    expect(told).toEqual(webhooks.get("/shop"));
  });
});

describe("one sandbox with a frozen clock", { timeout: 60_000 }, () => {
  it.each([
    ["all", undefined],
    ["one integration", "shop"],
  ])("gives the same again after a reset of %s", async (_whose, token) => {
    const story = [
      ...ownStory(merchant, "shop"),
      SETTLE,
      ...KINDS.map(({ route }) => ({ route, token: "shop" })),
    ];
    const reset: Step = { route: "POST /_sandbox/reset", ...(token && { token }) };
    const { answers, webhooks } = await run([...story, reset, ...story]);

    expect(answers.slice(story.length + 1)).toEqual(answers.slice(0, story.length));
    const told = webhooks.get("/shop") ?? [];
    expect(told.length).toBeGreaterThan(1);
    expect(told.slice(told.length / 2)).toEqual(told.slice(0, told.length / 2));
  });

  it("gives the same again after a snapshot is restored, as often as it is", async () => {
    const before = ownStory(merchant, "shop");
    const after = [...ownStory(merchant, "shop", "later"), ...KINDS];
    const save: Step = { route: "PUT /_sandbox/snapshots/before" };
    const restore: Step = { route: "POST /_sandbox/snapshots/before/restore" };
    const { answers } = await run([
      ...before,
      save,
      ...after,
      restore,
      ...after,
      restore,
      ...after,
    ]);

    const first = answers.slice(before.length + 1, before.length + 1 + after.length);
    expect(answers.slice(-after.length)).toEqual(first);
    expect(answers.slice(-2 * after.length - 1, -after.length - 1)).toEqual(first);
  });
});

describe("the seed of a run", { timeout: 60_000 }, () => {
  it("is printed with an unexpected error, whose response has the documented form", async () => {
    const said: string[] = [];
    await using sandbox = await startSandbox({
      seed: SEED,
      report: (line) => void said.push(line),
    });
    const failing = vi.spyOn(Gateway.prototype, "create").mockImplementation(() => {
      throw new Error("a mistake of ours");
    });
    const answer = await fetch(`${sandbox.baseUrl}/payins`, {
      method: "POST",
      headers: sandbox.headers(),
      body: JSON.stringify({ ...BUYER, webhook_url: merchant.url }),
    }).finally(() => failing.mockRestore());

    expect(answer.status).toBe(500);
    expect(Object.keys((await answer.json()) as object)).toEqual(["message", "code", "errors"]);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`unexpected error, seed ${SEED}: Error: a mistake of ours`);
  });
});

/** Plays a story to a sandbox of its own in this process. */
async function run(story: readonly Step[], seed = SEED): Promise<Run> {
  await using serving = await serveMain([...FROZEN, "--seed", seed]);
  return await play(serving, merchant, story);
}

/** Plays a story to a sandbox in a process of its own. */
async function runProcess(story: readonly Step[]): Promise<Run> {
  await using serving = await startServe(FROZEN);
  return await play(serving, merchant, story);
}

function pageOf(answer: Answer | undefined): readonly unknown[] {
  return (JSON.parse(answer?.text ?? "") as { data: readonly unknown[] }).data;
}
