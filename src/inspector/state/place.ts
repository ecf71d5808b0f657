/** The panes, in the order of the navigation. */
export const PANES = [
  "activity",
  "payins",
  "payouts",
  "webhooks",
  "requests",
  "review",
  "faults",
  "assumptions",
  "snapshots",
] as const;
export type Pane = (typeof PANES)[number];

/** In place of a record's id: the form that creates one. */
export const NEW = "new";

/** What the page shows. Its text is the address's fragment, which a browser sends to no server. */
export interface Place {
  readonly pane: Pane;
  /** The id of the open record. */
  readonly id?: string | undefined;
  /** A filter by status. */
  readonly status?: string | undefined;
  /** A search text. */
  readonly q?: string | undefined;
}

/** Reads a fragment such as `#/payins/ID?status=waiting&q=maria`; anything unknown is the first pane. */
export function readPlace(fragment: string): Place {
  const [path, query] = splitOnce(fragment.replace(/^#\/?/, ""), "?");
  const [name, id] = splitOnce(path, "/");
  const parameters = new URLSearchParams(query);
  return {
    pane: PANES.find((pane) => pane === name) ?? "activity",
    id: decode(id) || undefined,
    status: parameters.get("status") || undefined,
    q: parameters.get("q") || undefined,
  };
}

/** The fragment of a place. */
export function toFragment({ pane, id, status, q }: Place): string {
  const query = new URLSearchParams();
  if (status) query.set("status", status);
  if (q) query.set("q", q);
  const path = id === undefined ? pane : `${pane}/${encodeURIComponent(id)}`;
  return query.size === 0 ? `#/${path}` : `#/${path}?${query}`;
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
