// A page of a list as CSV (RFC 4180), which a spreadsheet opens without running anything of it.
import { stringify } from "csv-stringify/sync";
import * as z from "zod";

const page = z.looseObject({ data: z.array(z.record(z.string(), z.unknown())), next_cursor: z.string().optional() });

/**
 * The columns always stand there, in the same order, whatever a row has. What the answer says of all rows, beside `data`, stands in
 * each of them if it is a column: a file has no other place for it.
 */
export function csvOf(columns: readonly string[], answer: unknown) {
  const { data, next_cursor, ...ofAll } = page.parse(answer);
  return {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      vary: "accept",
      // The body has no place for it.
      ...(next_cursor !== undefined && { "x-next-cursor": next_cursor }),
    },
    body: stringify(
      data.map((row) => ({ ...ofAll, ...row })),
      {
        header: true,
        columns: [...columns],
        record_delimiter: "windows",
        // What begins like a formula gets an apostrophe before it (owasp.org/www-community/attacks/CSV_Injection).
        escape_formulas: true,
        // A lone CR ends a line for some of them, and `;` a cell, so that what follows would begin one.
        quoted_match: /[\r\n;]/,
        cast: { number: decimal, boolean: String },
      },
    ),
  };
}

/** Without an exponent, which not every spreadsheet reads. Amounts have at most nine decimals. */
function decimal(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(9).replace(/0+$/, "");
}
