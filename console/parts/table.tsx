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
  /** Figures to compare, which scroll on a phone. Without it each row is a record, and becomes a card there. */
  isFigures?: boolean;
};

export function Table<R>({ columns, rows, keyOf, total, isFigures = false }: Props<R>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a set of fields is something else
    <div
      className={isFigures ? "scroll figures" : "scroll records"}
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
              {columns.map((column) => (
                <Cell key={column.title} column={column} row={row} />
              ))}
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
                  <td key={column.title} className="number">
                    {column.isNumber && column.of(total)}
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

/** Values that a card leaves out: it has no columns that would stay empty. */
const nothing: readonly ReactNode[] = [undefined, null, false, "", "–"];

function Cell<R>({ column: { title, of, isHead, isNumber }, row }: { column: Column<R>; row: R }) {
  const content = of(row);
  if (isHead) return <th scope="row">{content}</th>;
  if (title === "")
    return (
      <td className={content ? "does" : "does is-empty"}>
        <div className="row">{content}</div>
      </td>
    );
  const classes = [isNumber && "number", nothing.includes(content) && "is-empty"].filter(Boolean).join(" ");
  return (
    <td className={classes || undefined} data-title={title}>
      {/* One thing beside its title, in a card. */}
      <div>{content}</div>
    </td>
  );
}
