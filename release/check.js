// Refuses to publish what is not complete; with --notes it prints the changelog's entry. See docs/releasing.md.
import { readFileSync } from "node:fs";

/** What only the owner of the project knows: package.json has no such members until then. */
const OWNERS = ["author", "repository", "homepage", "bugs"];

const [tag = "", option] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const changelog = readFileSync("CHANGELOG.md", "utf8");
const [, entry] = changelog.split(
  new RegExp(`^## \\[${manifest.version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m"),
);
const notes = entry?.split(/^## /m)[0]?.trim();

const problems = [
  ...(tag === `v${manifest.version}`
    ? []
    : [`The tag is ${tag || "missing"}, but package.json has the version ${manifest.version}.`]),
  ...(notes
    ? []
    : [`CHANGELOG.md has no entry "## [${manifest.version}] - YYYY-MM-DD" with a text.`]),
  ...OWNERS.filter((name) => !manifest[name]).map((name) => `package.json has no "${name}".`),
];
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\nSee docs/releasing.md.\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(
    `${option === "--notes" ? notes : `${manifest.name} ${manifest.version} can be published.`}\n`,
  );
}
