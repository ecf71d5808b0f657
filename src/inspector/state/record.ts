import { computed } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { control, type ControlError } from "./control.ts";
import { type ListName, loads } from "./sandbox.ts";
import type { Rows } from "./rows.ts";

/** A record that is loading, or that the sandbox does not have. */
export interface Found<Row> {
  readonly row?: Row;
  /** Why there is none; undefined while it is loading. */
  readonly message?: string;
}

/** The record with an id: a row that the page has, else from the sandbox. */
export function useRecord<Row>(name: ListName, id: string, rows: Rows<Row>): Found<Row> {
  // Not read from the rows here: they change often, and this record seldom.
  const row = useMemo(
    () =>
      computed(() => {
        void rows.version.value;
        return rows.get(id);
      }),
    [rows, id],
  );
  const here = row.value;
  const [loaded, setLoaded] = useState<Found<Row>>({});
  const isHere = here !== undefined;
  useEffect(() => {
    if (isHere) return undefined;
    let isCurrent = true;
    control<Row>("GET", `/${name}/${encodeURIComponent(id)}`).then(
      (found) => isCurrent && setLoaded({ row: found }),
      (error: ControlError) => isCurrent && setLoaded({ message: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, id, isHere, loads.value]);
  return here === undefined ? loaded : { row: here };
}
