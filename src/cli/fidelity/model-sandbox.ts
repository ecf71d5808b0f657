import type { AssumptionChanges, Credential } from "../../core/assumptions/table.ts";
import { Model } from "../../fidelity/model.ts";

/** Runs some work with a sandbox that repeats the calls of another gateway. */
export async function withModel<Result>(
  {
    assumptions,
    callers,
  }: {
    readonly assumptions?: AssumptionChanges;
    /** Those that another gateway accepts. */
    readonly callers: readonly Omit<Credential, "apiSecret">[];
  },
  work: (model: Model) => Promise<Result>,
): Promise<Result> {
  // Loaded for a probe only.
  const { startSandbox } = await import("../../server/start.ts");
  await using sandbox = await startSandbox({
    clock: "frozen",
    explain: true,
    assumptions: assumptions ?? {},
    credentials: callers.map((caller) => ({ ...caller, apiSecret: "none" })),
    report: () => undefined,
  });
  return await work(new Model(sandbox));
}
