import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AssumptionRow, type Sandbox, startSandbox } from "../src/index.ts";
import { RULE_IDS } from "../src/review/rules.ts";
import { CONFIG_SCHEMA, PROFILE_SCHEMA } from "../build/config-schema.ts";
import payin from "../fixtures/requests/payin.json" with { type: "json" };
import {
  type ApiDocument,
  type Bound,
  renderAgents,
  renderApi,
  renderAssumptions,
  renderFaults,
  renderFidelity,
  renderLlms,
  renderOptions,
  renderReviewer,
} from "../build/generated-pages.ts";

/** `npm run docs` writes these files; of cli.md, faults.md and reviewer.md, only the marked parts. */
describe("the generated pages of docs/ and the collection", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  it("has every route in api.md, as openapi.json describes it", async () => {
    const document = await read<ApiDocument>("/_sandbox/openapi.json");
    await expect(renderApi(document, await refusePayin())).toMatchFileSnapshot("../docs/api.md");
  });

  it("has every assumption in assumptions.md, as the table defines it", async () => {
    const { data } = await read<{ data: readonly AssumptionRow[] }>("/_sandbox/assumptions");
    await expect(renderAssumptions(data)).toMatchFileSnapshot("../docs/assumptions.md");
  });

  it("has every effect in faults.md, as its row defines it", async () => {
    const page = new URL("../docs/faults.md", import.meta.url);
    const text = await readFile(page, "utf8");
    await expect(renderFaults(text)).toMatchFileSnapshot("../docs/faults.md");
  });

  it("has every rule in reviewer.md, as the table defines it", async () => {
    const text = await readFile(new URL("../docs/reviewer.md", import.meta.url), "utf8");
    expect(text.match(/^<!-- rule \w+/gm)?.toSorted()).toEqual(
      RULE_IDS.map((id) => `<!-- rule ${id}`).toSorted(),
    );
    await expect(renderReviewer(text, await readBounds())).toMatchFileSnapshot(
      "../docs/reviewer.md",
    );
  });

  it("has every option of serve in cli.md, as its row declares it", async () => {
    const text = await readFile(new URL("../docs/cli.md", import.meta.url), "utf8");
    await expect(renderOptions(text)).toMatchFileSnapshot("../docs/cli.md");
  });

  it("has every assumption in fidelity.md, as the plan of probe tells it", async () => {
    const text = await readFile(new URL("../docs/fidelity.md", import.meta.url), "utf8");
    await expect(renderFidelity(text)).toMatchFileSnapshot("../docs/fidelity.md");
  });

  it("has the README's pages in AGENTS.md and llms.txt", async () => {
    const [readme, agents, manifest] = await Promise.all(
      ["README.md", "AGENTS.md", "package.json"].map((name) =>
        readFile(new URL(`../${name}`, import.meta.url), "utf8"),
      ),
    );
    const { description } = JSON.parse(manifest ?? "") as { description: string };
    await expect(renderAgents(agents ?? "", readme ?? "")).toMatchFileSnapshot("../AGENTS.md");
    await expect(renderLlms(description, readme ?? "")).toMatchFileSnapshot("../docs/llms.txt");
  });

  it("has every option of the config file in its JSON Schema", async () => {
    for (const [name, schema] of Object.entries({ config: CONFIG_SCHEMA, profile: PROFILE_SCHEMA }))
      await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(
        `../${name}.schema.json`,
      );
  });

  /** The constants MAX_… of the reviewer, with their docstrings. */
  async function readBounds(): Promise<Bound[]> {
    const folder = new URL("../src/review/", import.meta.url);
    const files = (await readdir(folder)).toSorted();
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
    return texts.flatMap((source) =>
      [...source.matchAll(/^\/\*\* (.*) \*\/\n(?:export )?const MAX_\w+ = ([\d_]+);$/gm)].map(
        ([, about = "", is = ""]) => ({ about, is: Number(is.replaceAll("_", "")) }),
      ),
    );
  }

  /** The gateway's response to a payin without a value. */
  async function refusePayin(): Promise<unknown> {
    const { value: _, ...body } = payin;
    const headers = { ...sandbox.headers(), "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await sandbox.fetch("/v1/payins", init)).json();
  }

  async function read<Answer>(route: string): Promise<Answer> {
    return (await (await sandbox.fetch(route)).json()) as Answer;
  }
});
