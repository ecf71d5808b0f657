/** A text that stands in a program's source. */
export interface SourceText {
  /** With `{0}`, `{1}` for what a template puts there. */
  readonly text: string;
  /** What stands right before a template, such as `t`. */
  readonly tag: string;
}

/** Every string and template in some TypeScript, those inside of others too. Comments and patterns are passed over. */
export function textsIn(source: string): SourceText[] {
  const found: SourceText[] = [];
  /** @returns where the code that begins at `start` ends: behind the brace that closes it, or at the end. */
  const readCode = (start: number): number => {
    let depth = 0;
    let before = "";
    for (let at = start; at < source.length; at++) {
      const rest = source.slice(at, at + 2);
      const character = source[at] ?? "";
      if (rest === "//") at = end(source.indexOf("\n", at)) - 1;
      else if (rest === "/*") at = end(source.indexOf("*/", at)) + 1;
      else if (character === '"' || character === "'") at = readString(at);
      else if (character === "`") at = readTemplate(at, /[\w.]*$/.exec(before)?.[0] ?? "");
      else if (character === "/" && /(?:^|[(,=:[!&|?{};+>]|\breturn)\s*$/.test(before))
        at +=
          (/^\/(?:\\.|\[(?:\\.|[^\]])*\]|[^/\\[])+\//.exec(source.slice(at))?.[0].length ?? 1) - 1;
      else if (character === "{") depth++;
      else if (character === "}" && --depth < 0) return at;
      before = `${before.slice(-20)}${character}`;
    }
    return source.length;
  };
  const end = (at: number): number => (at < 0 ? source.length : at);
  const readString = (start: number): number => {
    const [whole = ""] = /^(["'])(?:\\.|(?!\1).)*\1/.exec(source.slice(start)) ?? [];
    found.push({ text: unescaped(whole.slice(1, -1)), tag: "" });
    return start + whole.length - 1;
  };
  const readTemplate = (start: number, tag: string): number => {
    let text = "";
    let count = 0;
    const place = found.push({ text, tag }) - 1;
    for (let at = start + 1; at < source.length; at++) {
      if (source[at] === "`") {
        found[place] = { text: unescaped(text), tag };
        return at;
      }
      if (source[at] === "\\") text += source.slice(at, ++at + 1);
      else if (source.startsWith("${", at)) {
        text += `{${count++}}`;
        at = readCode(at + 2);
      } else text += source[at];
    }
    return source.length;
  };
  readCode(0);
  return found;
}

function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})|\\n|\\(.)/gi, (all, code: string, character: string) =>
    all === "\\n" ? "\n" : code ? String.fromCharCode(Number.parseInt(code, 16)) : character,
  );
}
