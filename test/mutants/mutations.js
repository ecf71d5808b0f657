import { parseAst } from "rolldown/parseAst";

/**
 * A change of a source file that a test is expected to notice: the text from `start` to `end` becomes `text`.
 * @typedef {{ operator: string, start: number, end: number, text: string, inside: number | undefined }} Mutation
 * `inside` is the start of the innermost function around it; undefined at the top level of the module.
 *
 * @typedef {{ type: string, start: number, end: number, [member: string]: any }} Node
 */

/** Operators that stand for each other, by kind of mutation. */
const BOUNDARY = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const NEGATION = {
  "===": "!==",
  "!==": "===",
  "==": "!=",
  "!=": "==",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};
const ARITHMETIC = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "**": "*",
  "&": "|",
  "|": "&",
  "^": "&",
  "<<": ">>",
  ">>": "<<",
  ">>>": "<<",
};
const LOGICAL = { "&&": "||", "||": "&&", "??": "&&" };
const ASSIGNMENT = {
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "/=": "*=",
  "??=": "=",
  "||=": "&&=",
  "&&=": "||=",
};
const METHODS = {
  some: "every",
  every: "some",
  find: "findLast",
  findLast: "find",
  findIndex: "findLastIndex",
  startsWith: "endsWith",
  endsWith: "startsWith",
  push: "unshift",
  unshift: "push",
  shift: "pop",
  pop: "shift",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
  padStart: "padEnd",
};
/** Methods whose result may stand without the call: `list.filter(isDue)` becomes `list`. */
const PASSING = new Set([
  "filter",
  "slice",
  "trim",
  "toSorted",
  "toReversed",
  "reverse",
  "sort",
  "concat",
  "flat",
]);
/** Parts of the syntax tree that no program runs. */
const TYPES = /^TS(?!AsExpression|SatisfiesExpression|NonNullExpression|ParameterProperty)/;
/** A text of four words or more is for people: a change of it is a change of wording. */
const PROSE = /\S \S+ \S+ \S/;

/**
 * Lists the mutations of a source file.
 * @param {string} source
 * @returns {Mutation[]}
 */
export function mutationsOf(source) {
  /** @type {Mutation[]} */
  const found = [];
  walk(parseAst(source, { lang: "ts" }), undefined, undefined, (node, parent, inside) => {
    for (const [operator, start, end, text] of mutate(node, parent, source))
      if (source.slice(start, end) !== text) found.push({ operator, start, end, text, inside });
  });
  return found;
}

/**
 * Lists the functions of a source file: where each starts, and its body.
 * @param {string} source
 * @returns {{ start: number, body: Node, isExpression: boolean }[]}
 */
export function functionsOf(source) {
  /** @type {{ start: number, body: Node, isExpression: boolean }[]} */
  const found = [];
  walk(parseAst(source, { lang: "ts" }), undefined, undefined, (node) => {
    if (isFunction(node) && node.body)
      found.push({
        start: node.start,
        body: node.body,
        isExpression: node.body.type !== "BlockStatement",
      });
  });
  return found;
}

/**
 * @param {Node} node
 * @param {Node | undefined} parent
 * @param {number | undefined} inside
 * @param {(node: Node, parent: Node | undefined, inside: number | undefined) => void} visit
 */
function walk(node, parent, inside, visit) {
  if (TYPES.test(node.type) || node.type === "ImportDeclaration") return;
  visit(node, parent, inside);
  const within = isFunction(node) ? node.start : inside;
  for (const [name, value] of Object.entries(node)) {
    if (name === "typeAnnotation" || name === "typeArguments" || name === "returnType") continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") walk(child, node, within, visit);
  }
}

/** @param {Node} node */
function isFunction({ type }) {
  return ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(type);
}

/**
 * @param {Node} node
 * @param {Node | undefined} parent
 * @param {string} source
 * @returns {Generator<[operator: string, start: number, end: number, text: string]>}
 */
function* mutate(node, parent, source) {
  const { type, start, end } = node;
  const textOf = (/** @type {Node} */ part) => source.slice(part.start, part.end);
  const swap = (/** @type {Record<string, string>} */ table, /** @type {string} */ symbol) =>
    Object.hasOwn(table, symbol) ? table[symbol] : undefined;

  if (type === "BinaryExpression") {
    const { left, right, operator } = node;
    const isText = [left, right].some(
      (side) => side.type === "TemplateLiteral" || typeof side.value === "string",
    );
    for (const [kind, table] of /** @type {const} */ ([
      ["boundary", BOUNDARY],
      ["negated condition", NEGATION],
      ...(isText ? [] : [/** @type {const} */ (["arithmetic", ARITHMETIC])]),
    ])) {
      const other = swap(table, operator);
      if (other) yield [kind, start, end, `((${textOf(left)}) ${other} (${textOf(right)}))`];
    }
    if (["in", "instanceof"].includes(operator))
      yield ["negated condition", start, end, `(!(${textOf(node)}))`];
  }
  if (type === "LogicalExpression") {
    const { left, right, operator } = node;
    const other = swap(LOGICAL, operator);
    yield ["logical", start, end, `((${textOf(left)}) ${other} (${textOf(right)}))`];
    yield ["logical operand", start, end, `(${textOf(left)})`];
    yield ["logical operand", start, end, `(${textOf(right)})`];
  }
  if (type === "UnaryExpression" && ["!", "-", "~"].includes(node.operator))
    yield ["unary", start, end, `(${textOf(node.argument)})`];
  if (type === "UpdateExpression")
    yield ["update", start, end, textOf(node).replace(...updateOf(node.operator))];
  if (type === "AssignmentExpression") {
    const other = swap(ASSIGNMENT, node.operator);
    if (other)
      yield ["assignment", start, end, `${textOf(node.left)} ${other} ${textOf(node.right)}`];
  }
  if (type === "IfStatement" || type === "ConditionalExpression") {
    const { test } = node;
    for (const value of ["true", "false"]) yield ["condition", test.start, test.end, value];
  }
  if (type === "WhileStatement") yield ["condition", node.test.start, node.test.end, "false"];
  if (type === "ForStatement" && node.test)
    yield ["condition", node.test.start, node.test.end, "false"];
  if (
    ["ExpressionStatement", "ThrowStatement", "BreakStatement", "ContinueStatement"].includes(type)
  )
    if (!node.directive && node.expression?.callee?.type !== "Super")
      yield ["removed statement", start, end, ";"];
  if (type === "ForOfStatement") yield ["removed statement", start, end, ";"];
  if (type === "ReturnStatement") {
    if (!node.argument) yield ["removed statement", start, end, ";"];
    else if (textOf(node.argument) !== "undefined")
      yield ["returned value", start, end, "return undefined;"];
  }
  if (
    type === "ArrowFunctionExpression" &&
    node.body.type !== "BlockStatement" &&
    textOf(node.body) !== "undefined"
  )
    yield ["returned value", node.body.start, node.body.end, "undefined"];
  if (type === "Literal" && !isName(node, parent)) {
    if (typeof node.value === "boolean") yield ["boolean", start, end, String(!node.value)];
    if (typeof node.value === "number") yield ["number", start, end, String(node.value + 1)];
    if (typeof node.value === "bigint") yield ["number", start, end, `${node.value + 1n}n`];
    if (typeof node.value === "string" && !PROSE.test(node.value))
      yield ["string", start, end, node.value === "" ? '"mutant"' : '""'];
  }
  if (
    type === "TemplateLiteral" &&
    parent?.type !== "TaggedTemplateExpression" &&
    !PROSE.test(textOf(node).slice(1, -1))
  )
    yield ["string", start, end, '""'];
  if (type === "MemberExpression") yield* mutateMember(node, parent, source);
  if (type === "CallExpression" && node.optional) {
    const at = source.indexOf("?.", node.callee.end);
    yield ["optional chaining", at, at + 2, ""];
  }
  if (type === "ArrayExpression" && node.elements.length > 0)
    yield ["empty array", start, end, "[]"];
  if (type === "ObjectExpression")
    for (const property of node.properties) {
      const comma = /^\s*,/.exec(source.slice(property.end))?.[0].length ?? 0;
      yield ["removed property", property.start, property.end + comma, ""];
    }
}

/** @param {"++" | "--"} operator @returns {[string, string]} */
function updateOf(operator) {
  return operator === "++" ? ["++", "--"] : ["--", "++"];
}

/**
 * @param {Node} node
 * @param {Node | undefined} parent
 * @param {string} source
 * @returns {Generator<[operator: string, start: number, end: number, text: string]>}
 */
function* mutateMember({ object, property, optional, computed, start, end }, parent, source) {
  if (optional) {
    const at = source.indexOf("?.", object.end);
    yield ["optional chaining", at, at + 2, computed ? "" : "."];
  }
  if (
    computed ||
    parent?.type !== "CallExpression" ||
    parent.callee.start !== start ||
    parent.callee.end !== end
  )
    return;
  const { name } = property;
  if (Object.hasOwn(METHODS, name))
    yield [
      "method",
      property.start,
      property.end,
      METHODS[/** @type {keyof typeof METHODS} */ (name)],
    ];
  // From the point on: brackets around the object stay.
  const point = source.lastIndexOf(".", property.start);
  if (PASSING.has(name)) yield ["method", optional ? point - 1 : point, parent.end, ""];
}

/**
 * Whether a literal names something instead of being a value: a property's key, what a module is called.
 * @param {Node} node
 * @param {Node | undefined} parent
 */
function isName({ start }, parent) {
  if (!parent) return true;
  if (/^(Import|Export)/.test(parent.type)) return true;
  return (
    ["Property", "PropertyDefinition", "MethodDefinition"].includes(parent.type) &&
    parent.key.start === start &&
    !parent.shorthand
  );
}
