import { createFolder } from "../support/folder.ts";
import http from "node:http";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/server/start.ts";
import { callsTo } from "../support/calls.ts";

const NOWHERE = { webhook_url: "http://127.0.0.1:9/" };

interface Advanced {
  readonly now: string;
  readonly happened: readonly { readonly kind: string; readonly data: { readonly id: string } }[];
}

async function advance(url: string, seconds: number, token?: string): Promise<Advanced> {
  const answer = await fetch(`${url}/_sandbox/clock/advance`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { "x-api-token": token }),
    },
    body: JSON.stringify({ seconds }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Advanced;
}

describe("the clock", () => {
  it("shows an integration nothing of another", async () => {
    await using sandbox = await startSandbox({ clock: "frozen" });
    const mine = await callsTo(sandbox.url, "mine").createPayin(NOWHERE);
    const yours = await callsTo(sandbox.url, "yours").createPayin(NOWHERE);

    const { happened } = await advance(sandbox.url, 300, "mine");
    expect(happened.map(({ data }) => data.id)).toEqual([mine.body.id]);
    expect(JSON.stringify(happened)).not.toContain(yours.body.id);
  });
});

describe("HEAD of the event stream", () => {
  it("is answered and leaves no stream behind", async () => {
    await using sandbox = await startSandbox();
    const request = http
      .request(`${sandbox.url}/_sandbox/events`, { method: "HEAD", agent: false })
      .end();
    const [answer] = (await once(request, "response")) as [http.IncomingMessage];

    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    answer.resume();
    await once(answer, "end");
  });
});

describe("a choice that was changed while a sandbox ran", () => {
  it("applies after a restart, unless the start's options change it", async () => {
    await using folder = await createFolder();
    const stateFile = folder.at("state.json");
    const choiceOf = async (name: string, assumptions = {}): Promise<unknown> => {
      await using sandbox = await startSandbox({ stateFile, assumptions });
      const { data } = await callsTo(sandbox.url).control<{
        data: { name: string; choice: unknown }[];
      }>("GET", "/assumptions");
      return data.find((row) => row.name === name)?.choice;
    };
    {
      await using sandbox = await startSandbox({ stateFile });
      await callsTo(sandbox.url).control("PATCH", "/assumptions", {
        "payout.rival": "allow",
        "cpf.check": "check_digits",
      });
    }
    expect(await choiceOf("payout.rival")).toBe("allow");
    expect(await choiceOf("payout.rival", { "payout.rival": "reject" })).toBe("reject");
    expect(await choiceOf("cpf.check")).toBe("check_digits");
  });
});
