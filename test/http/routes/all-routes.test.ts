import { describe, expect, it } from "vitest";
import { allPages, allRoutes, routeFileOf } from "../../../src/http/routes/all-routes.ts";

const routes = await allRoutes();

describe("the definitions of routes", () => {
  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "are found by their path: %s",
    async (_name, route) => {
      const file = await routeFileOf(route.path)?.();
      expect(file?.routes).toContain(route);
    },
  );

  it("define each method of a path once, with the pages", async () => {
    const names = [...routes, ...(await allPages())].map(({ method, path }) => `${method} ${path}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it("are not found at other paths", () => {
    for (const path of ["/v1", "/v3/payins", "/_sandbox/toString", "/v1/payin"])
      expect(routeFileOf(path)).toBeUndefined();
  });
});
