import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ENGLISH_PAGES, exists, Page, PORTUGUESE_PAGES } from "./support/documents.ts";

const pages = await Promise.all(
  [...ENGLISH_PAGES, ...PORTUGUESE_PAGES, "examples/README.md"].map((name) => Page.read(name)),
);
const others = await Promise.all(
  ["CHANGELOG.md", "AGENTS.md", "docs/llms.txt"].map((name) => Page.read(name)),
);

describe("the README, docs/ and examples/", () => {
  it.each([...pages, ...others])(
    "have links that lead somewhere: $name",
    async ({ name, text }) => {
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to);
      const broken: string[] = [];
      for (const link of links.filter((to) => !/^https?:/.test(to)))
        if (!(await leadsSomewhere(name, link))) broken.push(link);
      expect(broken).toEqual([]);
    },
  );

  it("have blocks only on pages whose blocks a test takes", () => {
    const withBlocks = pages.filter(({ untaken }) => untaken.length > 0).map(({ name }) => name);
    expect(withBlocks.toSorted()).toEqual([
      "README.md",
      "README.pt-BR.md",
      "docs/api.md",
      "docs/architecture.md",
      "docs/ci.md",
      "docs/cli.md",
      "docs/faults.md",
      "docs/fidelity.md",
      "docs/first-day.md",
      "docs/fixtures.md",
      "docs/frameworks.md",
      "docs/pt-BR/first-day.md",
      "docs/pt-BR/traces.md",
      "docs/pt-BR/troubleshooting.md",
      "docs/reviewer.md",
      "docs/team.md",
      "docs/testing.md",
      "docs/traces.md",
      "docs/troubleshooting.md",
      "docs/webhooks.md",
      "examples/README.md",
    ]);
  });

  it("have every page in the README's index", () => {
    const [english, portuguese] = ["README.md", "README.pt-BR.md"].map(
      (name) => pages.find((page) => page.name === name)?.text ?? "",
    );
    const rows = [english, portuguese].map((text) =>
      text?.match(/^\| [\p{L} ]+ \| \[.*$/gmu)?.join("\n"),
    );
    for (const name of ENGLISH_PAGES.filter((one) => one.startsWith("docs/"))) {
      expect(rows[0]).toContain(`(${name})`);
      const translated = name.replace("docs/", "docs/pt-BR/");
      expect(rows[1]).toContain(`(${PORTUGUESE_PAGES.includes(translated) ? translated : name})`);
    }
  });
});

describe("docs/architecture.md", async () => {
  const page = await Page.read("docs/architecture.md");
  const rooms = page.take("", "bin ─▶");
  const call = page.take("", "socket ─▶");

  it("has no block that is not checked", () => {
    expect(page.untaken).toEqual([]);
  });

  it("names rooms that exist, and all rooms", async () => {
    const names = [...(rooms.match(/[\w-]+/g) ?? []), ...(call.match(/\w+\/\w+/g) ?? [])];
    expect(names.length).toBeGreaterThan(15);
    for (const name of names)
      await expect(exists(name === "bin" ? name : `src/${name}`)).resolves.toBe(true);
    const folders = await readdir(new URL("../src", import.meta.url), { withFileTypes: true });
    for (const folder of folders.filter((one) => one.isDirectory()))
      expect(page.text).toContain(`\`src/${folder.name}\``);
  });

  it("names files that exist", async () => {
    const named = [...page.text.matchAll(/`((?:bin|src|test|fixtures)(?:\/[\w./-]+)?)`/g)].map(
      ([, file = ""]) => file,
    );
    expect(named.length).toBeGreaterThan(40);
    const missing: string[] = [];
    for (const file of new Set(named)) if (!(await exists(file))) missing.push(file);
    expect(missing).toEqual([]);
  });
});

/** Whether a link of a page leads to an existing file and an existing heading in it. */
async function leadsSomewhere(page: string, link: string): Promise<boolean> {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? page : path.join(path.dirname(page), file);
  if (!(await exists(target))) return false;
  return anchor === undefined || anchorsOf((await Page.read(target)).text).includes(anchor);
}

/** The anchors that GitHub gives to a page's headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .replaceAll("`", "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
