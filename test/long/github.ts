import { createRequire } from "node:module";
import { build } from "esbuild";
import { createFolder } from "../support/folder.ts";

interface Parser {
  parseWorkflow(
    file: { readonly name: string; readonly content: string },
    trace: object,
  ): { readonly context: { readonly errors: { getErrors(): readonly Error[] } } };
  readonly NoOperationTraceWriter: new () => object;
}

/** Lists what GitHub's own parser finds wrong with a workflow. */
export async function faultsOfWorkflow(content: string): Promise<readonly string[]> {
  await using folder = await createFolder();
  // The package imports JSON in a way that only bundlers accept.
  await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: ["@actions/workflow-parser"],
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile: folder.at("parser.cjs"),
  });
  const parser = createRequire(import.meta.url)(folder.at("parser.cjs")) as Parser;
  const trace = new parser.NoOperationTraceWriter();
  const { context } = parser.parseWorkflow({ name: "workflow.yml", content }, trace);
  return context.errors.getErrors().map(({ message }) => message);
}
