interface Text {
  readonly file: string;
  readonly room: string;
  readonly key: string;
  readonly template: string;
}

/** The catalogues of a language: room by room, the texts by their keys. */
type Rooms = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What `npm run texts` uses: JavaScript without types. */
export const { allTexts, allCatalogues, compare, partsOf } = (await import(
  new URL("../../build/texts.js", import.meta.url).href
)) as {
  allTexts(): readonly Text[];
  allCatalogues(): ReadonlyMap<string, Rooms>;
  compare(texts: readonly Text[], rooms: Rooms): readonly string[];
  partsOf(texts: readonly Text[]): readonly string[];
};
