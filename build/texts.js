// The texts of the source, against the catalogues. `npm run texts` prints what they lack.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

/**
 * A text of the source. The room is that of its file: the folder in src.
 * @typedef {{ file: string, room: string, key: string, template: string }} Text
 * @typedef {string | Record<string, string>} Translation
 * @typedef {Record<string, Record<string, Translation>>} Rooms
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
export function textsOf(/** @type {string} */ file) {
  const source = readFileSync(path.join(ROOT, file), "utf8");
  const room = file.split("/")[1] ?? "";
  return templatesOf(file, source)
    .filter(({ template }) => isTranslated(template))
    .map(({ template, context }) => ({ file, room, template, key: keyOf({ template, context }) }));
}

/** A module whose tags carry the translations that `translationsOf` returns for a text: `say.in({"pt":"…"})`. */
export function withTranslations(
  /** @type {string} */ file,
  /** @type {string} */ source,
  /** @type {(key: string) => Record<string, Translation> | undefined} */ translationsOf,
) {
  let result = source;
  for (const { template, context, tag } of templatesOf(file, source).toReversed()) {
    const found = isTranslated(template) ? translationsOf(keyOf({ template, context })) : undefined;
    if (found)
      result = `${result.slice(0, tag.start)}say.in(${JSON.stringify(found)})${result.slice(tag.end)}`;
  }
  return result;
}

/** @returns {string} */
function keyOf(/** @type {{ template: string, context: string | undefined }} */ text) {
  return text.context === undefined ? text.template : `${text.context}|${text.template}`;
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
  /** @type {Map<string, { room: string, translation: string }>} */
  const found = new Map();
  const problems = [];
  for (const [room, entries] of Object.entries(rooms))
    for (const [key, entry] of Object.entries(entries)) {
      const translation = JSON.stringify(entry);
      const other = found.get(key);
      if (other && other.translation !== translation)
        problems.push(`${room} and ${other.room} translate it differently: ${key}`);
      found.set(key, { room, translation });
      const text = wanted.get(key);
      if (!text) problems.push(`${room} translates what no source says: ${key}`);
      else if (formsOf(entry).some((form) => placesOf(form) !== placesOf(text.template)))
        problems.push(`${room} has other places than the source: ${key}`);
    }
  for (const { key, file, room } of wanted.values())
    if (!found.has(key)) problems.push(`${room} lacks a text of ${file}: ${key}`);
  return problems;
}

/** The parts of texts between their places. @param {Pick<Text, "template">[]} texts @returns {string[]} */
export function partsOf(texts) {
  return texts.flatMap(({ template }) => template.split(/\{\d+\}/)).map(unescaped);
}

/** @returns {string} */
function unescaped(/** @type {string} */ text) {
  return text.replace(/\{\{|\}\}/g, (braces) => braces.charAt(0));
}

/** Whether a template has words of its own. */
function isTranslated(/** @type {string} */ template) {
  return /\p{L}/u.test(template.replace(/\{\d+\}/g, ""));
}

/** @returns {string[]} */
function formsOf(/** @type {Translation} */ entry) {
  return typeof entry === "string" ? [entry] : Object.values(entry);
}

/** The different places of a template, sorted. @returns {string} */
function placesOf(/** @type {string} */ text) {
  const places = Array.from(text.matchAll(/\{\{|\{(\d+)!?\}/g), ([, place]) => place);
  return [...new Set(places.filter((place) => place !== undefined))].toSorted().join();
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
      .map(({ value }, index) => (index === 0 ? "" : `{${index - 1}}`) + escaped(value.cooked))
      .join("");
    found.push({ template, context: isWithContext ? tag.arguments[0].value : undefined, tag });
  }
  return found;
}

function escaped(/** @type {string} */ text) {
  return text.replace(/[{}]/g, "$&$&");
}

/** The entries of a file that exports one object. @returns {Record<string, Translation>} */
function catalogueOf(/** @type {string} */ file) {
  const { body } = parseAst(readFileSync(path.join(ROOT, file), "utf8"), { lang: "ts" });
  const main = body.find(({ type }) => type === "ExportDefaultDeclaration");
  return valueOf(main.declaration);
}

function valueOf(/** @type {Node} */ node) {
  if (node.type !== "ObjectExpression") return node.value;
  const entries = node.properties.map(({ key, value }) => [key.name ?? key.value, valueOf(value)]);
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
