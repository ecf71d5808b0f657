// The texts of the source, against the catalogues. `npm run texts` prints what they lack.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

/**
 * A text of the source. The room is that of its file: the folder in src.
 * @typedef {{ file: string, room: string, key: string, template: string }} Text
 * @typedef {Record<string, Record<string, string>>} Rooms
 * @typedef {{ type: string, [member: string]: any }} Node
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** A file in the folder of a language, such as `pt-BR`. */
const CATALOGUE = /^src\/text\/[a-z]{2,3}(?:-[A-Z]{2})?\/[\w-]+\.ts$/;

/** Every text. @returns {Text[]} */
export function allTexts() {
  const modules = filesBelow("src").filter((file) => /\.tsx?$/.test(file) && !isCatalogue(file));
  return modules.flatMap(textsOf);
}

/** The texts of one file: its tagged templates. @returns {Text[]} */
function textsOf(/** @type {string} */ file) {
  const room = file.split("/")[1] ?? "";
  const texts = textsIn(file, readFileSync(path.join(ROOT, file), "utf8"));
  return texts.map(({ key, template }) => ({ file, room, key, template }));
}

/**
 * The texts of a source, those with words of their own, and where they stand.
 * @returns {(Pick<Text, "key" | "template"> & { start: number, end: number })[]}
 */
export function textsIn(/** @type {string} */ file, /** @type {string} */ source) {
  return templatesOf(file, source).filter(({ template }) =>
    /\p{L}/u.test(template.replace(/\{\d+\}/g, "")),
  );
}

/** The catalogues of each language, by its folder, room by room. @returns {Map<string, Rooms>} */
export function allCatalogues() {
  const rooms = new Map();
  for (const file of filesBelow("src/text").filter(isCatalogue)) {
    const [, , language = "", name = ""] = file.split("/");
    if (name === "index.ts") continue;
    const found = rooms.get(language) ?? {};
    found[path.basename(name, ".ts")] = catalogueOf(file);
    rooms.set(language, found);
  }
  return rooms;
}

/** What is wrong with a language's catalogues. @param {Text[]} texts @param {Rooms} rooms @returns {string[]} */
export function compare(texts, rooms) {
  const wanted = new Map(texts.map((text) => [text.key, text]));
  /** @type {Map<string, { room: string, entry: string }>} */
  const found = new Map();
  const problems = [];
  for (const [room, entries] of Object.entries(rooms))
    for (const [key, entry] of Object.entries(entries)) {
      const other = found.get(key);
      if (other && other.entry !== entry)
        problems.push(`${room} and ${other.room} translate it differently: ${key}`);
      found.set(key, { room, entry });
      const text = wanted.get(key);
      if (!text) problems.push(`${room} translates what no source says: ${key}`);
      else if (placesOf(entry) !== placesOf(text.template))
        problems.push(`${room} has other places than the source: ${key}`);
    }
  for (const { key, file, room } of wanted.values())
    if (!found.has(key)) problems.push(`${room} lacks a text of ${file}: ${key}`);
  return problems;
}

/** The parts of texts between their places. @param {Pick<Text, "template">[]} texts @returns {string[]} */
export function partsOf(texts) {
  return texts.flatMap(({ template }) => template.split(/\{\d+\}/));
}

/** The different places of a template, sorted. @returns {string} */
function placesOf(/** @type {string} */ text) {
  return [...new Set(text.match(/\{\d+\}/g))].toSorted().join();
}

/** The templates that are tagged with `say` or `say.for(context)`. */
function templatesOf(/** @type {string} */ file, /** @type {string} */ source) {
  const found = [];
  for (const node of nodesOf(parseAst(source, { lang: file.endsWith("x") ? "tsx" : "ts" }))) {
    if (node.type !== "TaggedTemplateExpression") continue;
    const { tag, quasi } = node;
    const isWithContext = tag.type === "CallExpression" && tag.callee.object?.name === "say";
    if (tag.name !== "say" && !isWithContext) continue;
    const template = quasi.quasis
      .map(({ value }) => value.cooked)
      .reduce((text, part, index) => `${text}{${index - 1}}${part}`);
    const key = isWithContext ? `${tag.arguments[0].value}|${template}` : template;
    found.push({ template, key, start: node.start, end: node.end });
  }
  return found;
}

/** The entries of a file that exports one object. @returns {Record<string, string>} */
function catalogueOf(/** @type {string} */ file) {
  const { body } = parseAst(readFileSync(path.join(ROOT, file), "utf8"), { lang: "ts" });
  const main = body.find(({ type }) => type === "ExportDefaultDeclaration");
  const entries = main.declaration.properties.map(({ key, value }) => [
    key.name ?? key.value,
    value.value,
  ]);
  return Object.fromEntries(entries);
}

/** A node and all below it. @returns {Generator<Node>} */
function* nodesOf(/** @type {any} */ node) {
  if (Array.isArray(node)) for (const one of node) yield* nodesOf(one);
  else if (node !== null && typeof node === "object") {
    if (typeof node.type === "string") yield node;
    for (const value of Object.values(node)) yield* nodesOf(value);
  }
}

function isCatalogue(/** @type {string} */ file) {
  return CATALOGUE.test(file);
}

/** The files of a folder, by their paths in the project. @returns {string[]} */
function filesBelow(/** @type {string} */ folder) {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => /\.\w+$/.test(name) && !name.endsWith(".d.ts"))
    .toSorted();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const texts = allTexts();
  for (const [language, rooms] of allCatalogues()) {
    const problems = compare(texts, rooms);
    process.stdout.write([`${language}: ${problems.length} problems`, ...problems, ""].join("\n"));
    if (problems.length > 0) process.exitCode = 1;
  }
}
