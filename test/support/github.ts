import { createRequire } from "node:module";
import { build } from "esbuild";
import { createFolder } from "./cli.ts";

interface Parser {
  parseWorkflow(
    file: { readonly name: string; readonly content: string },
    trace: object,
  ): { readonly context: { readonly errors: { getErrors(): readonly Error[] } } };
  readonly NoOperationTraceWriter: new () => object;
}

/** What GitHub's own parser of workflows has against one. */
export async function faultsOfWorkflow(content: string): Promise<readonly string[]> {
  await using folder = await createFolder();
  // It imports JSON as only a bundler does.
  await build({
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
