import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { place } from "../state/navigation.ts";
import { Filter, type FilterProps, matches } from "./filter.tsx";
import { List, type ListProps } from "./list.tsx";

interface ListPaneProps<Row> extends FilterProps, Omit<ListProps<Row>, "isShown"> {
  readonly hasStatus: (row: Row, status: string) => boolean;
  /** The part of a row that is searched; default: all of it. */
  readonly searched?: (row: Row) => unknown;
  /** Stands between the filter and the list. */
  readonly children?: ComponentChildren;
}

/** A pane with a list, and its search field and status filter. */
export function ListPane<Row extends object>(props: ListPaneProps<Row>) {
  const { statuses, wordOf, anyText, beside, hasStatus, ...others } = props;
  const { searched = (row) => row, children, ...list } = others;
  const { status, q } = place.value;
  const isShown = useMemo(
    () =>
      status || q
        ? (row: Row) => (!status || hasStatus(row, status)) && (!q || matches(q, searched(row)))
        : undefined,
    [status, q],
  );
  return (
    <>
      <Filter statuses={statuses} wordOf={wordOf} anyText={anyText} beside={beside} />
      {children}
      <List {...list} isShown={isShown} />
    </>
  );
}
