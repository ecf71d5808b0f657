import { describe, expect, it } from "vitest";
import { ControlToken } from "../../../src/http/context/control-token.ts";
import { listen } from "../../../src/http/faces/listen.ts";
import { standbyListenerOf } from "../../../src/http/faces/standby.ts";
import { startMerchant } from "../../support/merchant.ts";

/** A standby that passes calls on to `leader`. */
async function startStandby(leader: string, token?: string) {
  const listener = standbyListenerOf({
    leaderAddress: () => leader,
    isForwarding: true,
    origins: { allowedHosts: [], corsOrigins: [] },
    controlToken: token === undefined ? undefined : new ControlToken(token),
    journalPosition: () => 7,
    language: "en",
  });
  const listening = await listen(listener, { host: "127.0.0.1", port: 0, https: false });
  return {
    url: `${listening.url}/_sandbox/metrics`,
    [Symbol.asyncDispose]: () => listening.close(0),
  };
}

describe("GET /_sandbox/metrics of a standby", () => {
  it("shows its own metrics, even if other calls are passed on", async () => {
    await using leader = await startMerchant();
    await using standby = await startStandby(leader.at(""));
    const answer = await fetch(standby.url);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    for (const path of ["metrics", "health", "ready"]) {
      const { headers } = await fetch(standby.url.replace("metrics", path));
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
    expect(await answer.text()).toMatch(/^pix_sandbox_journal_position 7$/m);
    expect(leader.received).toEqual([]);
  });

  it("needs the control token, if there is one", async () => {
    await using leader = await startMerchant();
    await using standby = await startStandby(leader.at(""), "secret");
    expect((await fetch(standby.url)).status).toBe(401);
    const authorization = "Bearer secret";
    expect((await fetch(standby.url, { headers: { authorization } })).status).toBe(200);
    expect(leader.received).toEqual([]);
  });
});
