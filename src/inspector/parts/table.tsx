import type { ComponentChildren } from "preact";

export interface TableColumn<Row> {
  readonly title: string;
  /** Whether it contains numbers, which stand at the right. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

/**
 * A short table; the first column names the row. On a narrow page each row becomes a block with the titles beside
 * the values. The roles are written out because a table that is displayed as blocks loses its own.
 */
export function Table<Row>(props: {
  /** The table's name for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  readonly idOf: (row: Row) => string;
}) {
  const { label, rows, columns, idOf } = props;
  return (
    <table class="short" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, isNumber }) => (
            <th key={title} role="columnheader" scope="col" class={isNumber ? "number" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={idOf(row)} role="row" data-testid="row" data-id={idOf(row)}>
            {columns.map(({ title, cell, isNumber }, index) => {
              const Cell = index === 0 ? "th" : "td";
              return (
                <Cell
                  key={title}
                  class={isNumber ? "number" : undefined}
                  role={index === 0 ? "rowheader" : "cell"}
                  {...(index === 0 && { scope: "row" })}
                >
                  <span class="cell-title" aria-hidden="true">
                    {title}
                  </span>
                  <div>{cell(row)}</div>
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
