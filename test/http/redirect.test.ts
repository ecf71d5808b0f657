import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/server/start.ts";

describe("the address of the sandbox", () => {
  it.each(["/", "/_sandbox", "/?from=a-terminal"])(
    "leads from %s to the inspector",
    async (path) => {
      await using sandbox = await startSandbox();
      for (const method of ["GET", "HEAD"]) {
        const options = { method, redirect: "manual" } as const;
        for (const fetchIt of [fetch, sandbox.fetch]) {
          const answer = await fetchIt(`${sandbox.url}${path}`, options);
          expect([answer.status, answer.headers.get("location")]).toEqual([302, "/_sandbox/"]);
          expect(await answer.text()).toBe("");
        }
      }
    },
  );

  it("takes no other method, no other spelling and no other host", async () => {
    await using sandbox = await startSandbox();
    const posted = await sandbox.fetch("/", { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await sandbox.fetch(`${sandbox.url}//`)).status).toBe(404);
    const headers = { host: "shop.example" };
    expect((await sandbox.fetch("/", { headers })).status).toBe(403);
  });

  it("is no call of the gateway", async () => {
    await using sandbox = await startSandbox();
    await sandbox.fetch("/");
    const { data } = (await (await sandbox.fetch("/_sandbox/requests")).json()) as { data: [] };
    expect(data).toEqual([]);
  });
});
