import { expect, it } from "vitest";
import { listen } from "../../../src/http/faces/listen.ts";
import { standbyListenerOf } from "../../../src/http/faces/standby.ts";
import { startMerchant } from "../../support/merchant.ts";

it("a standby answers its health check and readiness itself, even if other calls are passed on", async () => {
  await using leader = await startMerchant();
  const listener = standbyListenerOf({
    leaderAddress: () => leader.at(""),
    isForwarding: true,
    origins: { allowedHosts: [], corsOrigins: [] },
    language: "en",
  });
  const listening = await listen(listener, { host: "127.0.0.1", port: 0, https: false });
  for (const path of ["health", "ready"]) {
    const { headers } = await fetch(`${listening.url}/_sandbox/${path}`);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  }
  expect(leader.received).toEqual([]);
  await listening.close(0);
});
