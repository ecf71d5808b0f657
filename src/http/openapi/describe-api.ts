import type { Assumptions } from "../../core/assumptions/table.ts";
import { type DescribedSandbox, describeRoutes } from "./describe-routes.ts";
import type { ApiDescription } from "./document.ts";
import { allRoutes } from "../routes/all-routes.ts";

export type { ApiDescription } from "./document.ts";

/** Describes every route under these assumptions. */
export async function describeApi(
  assumptions: Assumptions,
  sandbox: DescribedSandbox = { serverUrl: "http://127.0.0.1:7490" },
): Promise<ApiDescription> {
  return describeRoutes(await allRoutes(), assumptions, sandbox);
}
