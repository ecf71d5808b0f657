import { useEffect, useState } from "preact/hooks";
import { control, type ControlError } from "./control.ts";
import type { ListName } from "./sandbox.ts";
import type { Rows } from "./rows.ts";

/** A record that is loading, or that the sandbox does not have. */
export interface Found<Row> {
  readonly row?: Row;
  /** Why there is none; undefined while it is loading. */
  readonly message?: string;
}

/** The record with an id: a row that the page has, else from the sandbox. */
export function useRecord<Row>(name: ListName, id: string, rows: Rows<Row>): Found<Row> {
  void rows.version.value;
  const here = rows.get(id);
  const [loaded, setLoaded] = useState<Found<Row>>({});
  const isHere = here !== undefined;
  useEffect(() => {
    if (isHere) return;
    control<Row>("GET", `/${name}/${encodeURIComponent(id)}`).then(
      (row) => setLoaded({ row }),
      (error: ControlError) => setLoaded({ message: error.message }),
    );
  }, [name, id, isHere]);
  return here === undefined ? loaded : { row: here };
}
