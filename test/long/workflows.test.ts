import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { faultsOfWorkflow } from "./github.ts";
import { readPages } from "./pages.ts";

const pages = await readPages();
const recipe = [...pages.matchAll(/```yaml\n([^]*?)```/g)]
  .map(([, block = ""]) => block)
  .find((block) => block.includes("runs-on"));

it("GitHub's own parser accepts the recipe for GitHub and this project's workflows", async () => {
  if (recipe === undefined) throw new Error("The documentation has no recipe for GitHub.");
  expect(await faultsOfWorkflow(recipe.replace("runs-on", "run-on"))).not.toEqual([]);
  expect(await faultsOfWorkflow(recipe)).toEqual([]);
  const own = new URL("../../.github/workflows/", import.meta.url);
  for (const name of await readdir(own)) {
    const faults = await faultsOfWorkflow(await readFile(new URL(name, own), "utf8"));
    expect([name, faults]).toEqual([name, []]);
  }
});
