import { toSafeText } from "../../text/plain/safe-text.ts";

/** The names and indexes that lead to a member of a JSON body. */
export type Path = readonly (string | number)[];

/** A remark about a member of a body. */
export interface Mark {
  readonly path: Path;
  readonly message: string;
}

/** How much of a long body is shown at first. */
export interface Limits {
  readonly characters: number;
  readonly lines: number;
}

/** Some lines of a body; or one line with the remarks about the member that begins on it. */
export interface BodyPart {
  readonly text: string;
  readonly messages?: readonly string[];
}

/** A body as the page shows it. */
export interface BodyView {
  readonly isJson: boolean;
  readonly parts: readonly BodyPart[];
  /** Whether it is shown to its end. */
  readonly isWhole: boolean;
  /** The marks of members that the body does not have. */
  readonly absent: readonly Mark[];
}

interface Line {
  readonly text: string;
  /** Of the member that begins on the line. */
  readonly path?: Path | undefined;
}

interface Container {
  readonly isList: boolean;
  /** The name or the index of the current member. */
  key: string | number;
  isEmpty: boolean;
}

/** Deeper levels are not indented further: a line would become longer than the body. */
const MAX_INDENTED_LEVELS = 32;
/** How much of a line is shown at least. */
const MIN_CHARACTERS = 200;
/** The end of a text that the sandbox has stored only in part. */
const CUT_MARK = "…";

/**
 * A body in lines. JSON is indented, but otherwise stays as it was written: numbers, escapes and repeated names
 * are those of the text. Invisible characters are made visible.
 */
export function viewBody(
  text: string,
  marks: readonly Mark[] = [],
  limits: Limits = { characters: Infinity, lines: Infinity },
): BodyView {
  const isJson = isJsonText(text);
  const lines: readonly Line[] = isJson
    ? [...jsonLines(text)]
    : text.split("\n").map((line) => ({ text: line }));
  const found = new Set<Mark>();
  const parts: BodyPart[] = [];
  let plain: string[] = [];
  let characters = 0;
  let shown = 0;
  let isGap = false;
  const endPlain = (): void => {
    if (plain.length > 0) parts.push({ text: plain.join("\n") });
    plain = [];
  };
  for (const { text: line, path } of lines) {
    const here = path ? marks.filter((mark) => isSamePath(mark.path, path)) : [];
    const isBeyond = characters >= limits.characters || shown >= limits.lines;
    for (const mark of here) found.add(mark);
    // A marked line is shown wherever it is.
    if (isBeyond && here.length === 0) {
      isGap = true;
      continue;
    }
    if (isGap) plain.push(CUT_MARK);
    isGap = false;
    const end = Math.max(limits.characters - characters, MIN_CHARACTERS);
    const part = toSafeText(line.slice(0, end));
    if (here.length > 0) {
      endPlain();
      parts.push({ text: part, messages: here.map(({ message }) => message) });
    } else plain.push(part);
    if (line.length <= end) shown++;
    characters += line.length;
  }
  endPlain();
  return {
    isJson,
    parts,
    isWhole: shown === lines.length,
    absent: marks.filter((mark) => !found.has(mark)),
  };
}

/** Whether a text is a JSON object or list, or the beginning of one that was cut. */
function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  if (text.endsWith(CUT_MARK)) return /^\s*(?:\{\s*"|\[\s*[[{"\d])/.test(text);
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function* jsonLines(text: string): Generator<Line> {
  const open: Container[] = [];
  let line = "";
  let path: Path | undefined;
  let isAfterComma = false;
  const indent = (): string => "  ".repeat(Math.min(open.length, MAX_INDENTED_LEVELS));
  for (const token of tokensOf(text)) {
    const container = open.at(-1);
    if (token === "}" || token === "]") {
      open.pop();
      if (container?.isEmpty === false) {
        yield { text: line, path };
        line = indent();
        path = undefined;
      }
      line += token;
    } else if (token === ",") {
      line += token;
      isAfterComma = true;
      if (container?.isList) container.key = Number(container.key) + 1;
    } else if (token === ":") {
      line += ": ";
    } else {
      if (container && (container.isEmpty || isAfterComma)) {
        yield { text: line, path };
        line = indent();
        container.isEmpty = false;
        isAfterComma = false;
        if (!container.isList) container.key = nameOf(token);
        // A path is compared only with those of members that can be marked.
        path = open.length <= MAX_INDENTED_LEVELS ? open.map(({ key }) => key) : undefined;
      }
      line += token;
      if (token === "{" || token === "[")
        open.push({ isList: token === "[", key: 0, isEmpty: true });
    }
  }
  yield { text: line, path };
}

const TOKEN = /[\t\n\r ]*("[^"\\]*(?:\\[^][^"\\]*)*"|[[\]{}:,]|[^\t\n\r "[\]{}:,]+)/y;

/** The tokens of JSON. What follows the last one, such as a string that was cut, is a token too. */
function* tokensOf(text: string): Generator<string> {
  const pattern = new RegExp(TOKEN);
  let end = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    end = pattern.lastIndex;
    yield match[1] ?? "";
  }
  const rest = text.slice(end).trim();
  if (rest !== "") yield rest;
}

function nameOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}

function isSamePath(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}
