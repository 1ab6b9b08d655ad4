// A page of a list as CSV (RFC 4180), which a spreadsheet opens without running anything of it.
import { stringify } from "csv-stringify/sync";
import * as z from "zod";

const page = z.looseObject({ data: z.array(z.record(z.string(), z.unknown())), next_cursor: z.string().optional() });

/**
 * The columns are always there, in the same order, whatever a row has. A member of the answer beside `data` is repeated in each row
 * if it is a column, because a file has no other place for it.
 */
export function csvOf(columns: readonly string[], answer: unknown) {
  const { data, next_cursor, ...ofAll } = page.parse(answer);
  return {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      vary: "accept",
      // The body has no place for the cursor.
      ...(next_cursor !== undefined && { "x-next-cursor": next_cursor }),
    },
    body: stringify(
      data.map((row) => ({ ...ofAll, ...row })),
      {
        header: true,
        columns: [...columns],
        record_delimiter: "windows",
        // A cell that begins like a formula gets an apostrophe before it (owasp.org/www-community/attacks/CSV_Injection).
        escape_formulas: true,
        // Some spreadsheets end a line at a lone CR, and a cell at `;`: the text after it could begin like a formula.
        quoted_match: /[\r\n;]/,
        cast: { number: decimal, boolean: String },
      },
    ),
  };
}

/** A number without an exponent, which not every spreadsheet reads. Amounts have at most nine decimals. */
function decimal(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(9).replace(/0+$/, "");
}
