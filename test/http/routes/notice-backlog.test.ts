import { describe, expect, it } from "vitest";
import { NoticeBacklog } from "../../../src/http/routes/notice-backlog.ts";

const END = Number.POSITIVE_INFINITY;

describe("the messages without an id that a reader has not read", () => {
  it("are taken in order, and once", () => {
    const backlog = create(3);
    for (const after of [0, 0, 7]) backlog.add({ after, text: `after ${after}` });
    expect(textsOf(backlog)).toEqual(["after 0", "after 0", "after 7"]);
    expect(textsOf(backlog)).toEqual([]);
  });

  it("are taken up to an event: later ones wait", () => {
    const backlog = create(3);
    for (const after of [4, 5, 6]) backlog.add({ after, text: `after ${after}` });
    expect(textsOf(backlog, 5)).toEqual(["after 4"]);
    expect(textsOf(backlog, 5)).toEqual([]);
    expect(textsOf(backlog)).toEqual(["after 5", "after 6"]);
  });

  it("are the newest, after one message with the number of dropped ones", () => {
    const backlog = create(2);
    for (const after of [1, 2, 3, 4, 5]) backlog.add({ after, text: `after ${after}` });
    expect(textsOf(backlog, 4)).toEqual([]);
    expect(textsOf(backlog, 5)).toEqual(["3 dropped", "after 4"]);
    expect(textsOf(backlog)).toEqual(["after 5"]);
    backlog.add({ after: 6, text: "after 6" });
    expect(textsOf(backlog)).toEqual(["after 6"]);
  });
});

function create(limit: number): NoticeBacklog {
  return new NoticeBacklog(limit, (count) => `${count} dropped`);
}

function textsOf(backlog: NoticeBacklog, before = END): string[] {
  return backlog.take(before).map(({ text }) => text);
}
