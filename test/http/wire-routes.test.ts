import { describe, expect, it } from "vitest";
import * as wireRoutes from "../../src/core/state/wire-routes.ts";
import { fillRoute, LIST_PAYINS, SHOW_PAYIN } from "../../src/core/state/wire-routes.ts";
import { allRoutes } from "../../src/http/routes/all-routes.ts";

type Described = { readonly method: string; readonly path: string; readonly query: unknown };

const described = Object.values(wireRoutes).filter(
  (value): value is Extract<typeof value, Described> =>
    typeof value === "object" && "method" in value,
);

describe("the described routes", () => {
  it("are the server's, with the parameters of their queries", async () => {
    const served = await allRoutes();
    const keys = (routes: readonly { method: string; path: string }[]): string[] =>
      routes.map(({ method, path }) => `${method} ${path}`).toSorted();
    expect(keys(described)).toEqual(keys(served));
    for (const { method, path, query } of described) {
      const route = served.find((one) => one.method === method && one.path === path);
      // A stream describes its parameters itself.
      if (route?.stream) continue;
      const names = Object.keys(route?.query?.shape ?? {});
      expect([path, query.toSorted()]).toEqual([path, names.toSorted()]);
    }
  });

  it("are filled: the path, the query, and the body with the other values", () => {
    expect(fillRoute(SHOW_PAYIN, { id: "a/b" })).toEqual({ path: "/_sandbox/payins/a%2Fb" });
    expect(fillRoute(LIST_PAYINS, { limit: 3, status: undefined })).toEqual({
      path: "/_sandbox/payins?limit=3",
    });
  });
});
