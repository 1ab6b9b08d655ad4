// A table of rows, by its columns. One column heads its row; a column without a title holds what can be done.
import type { ReactNode } from "react";

export type Column<R> = {
  title: string;
  of: (row: R) => ReactNode;
  /** Heads the row. */
  isHead?: true;
  isNumber?: boolean;
};

type Props<R> = {
  columns: readonly Column<R>[];
  rows: readonly R[];
  keyOf: (row: R) => string;
  /** A last row, of all rows together. */
  total?: R | undefined;
};

export function Table<R>({ columns, rows, keyOf, total }: Props<R>) {
  const shapeOf = ({ title, isNumber }: Column<R>) => (title === "" ? "row" : isNumber ? "number" : undefined);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a set of fields is something else
    <div
      className="scroll"
      role="group"
      aria-label="Scrollable table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={column.isNumber ? "number" : undefined}>
                {column.title || <span className="unseen">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) =>
                column.isHead ? (
                  <th key={column.title} scope="row">
                    {column.of(row)}
                  </th>
                ) : (
                  <td key={column.title} className={shapeOf(column)}>
                    {column.of(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {total !== undefined && (
          <tfoot>
            <tr>
              {columns.map((column) =>
                column.isHead ? (
                  <th key={column.title} scope="row">
                    Total
                  </th>
                ) : (
                  <td key={column.title} className={shapeOf(column)}>
                    {column.of(total)}
                  </td>
                ),
              )}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}
