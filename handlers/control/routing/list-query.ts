// Lists over HTTP: the query that asks for a page, the opaque cursor that leads to the next page, and the answer.
import * as z from "zod";
import type { Page, PageRequest } from "../../../domain/kernel/page.ts";
import { hourMs } from "../../../domain/kernel/period.ts";
import { fieldRefusal } from "../../../domain/kernel/refusal.ts";
import { fields } from "../../../domain/kernel/validation.ts";

export const maxPageSize = 100;

const cursor = z
  .string()
  .describe("The `next_cursor` of an earlier page")
  .transform((cursor, context) => {
    const after = Buffer.from(cursor, "base64url").toString("latin1");
    if (/^[\x21-\x7e]{1,255}$/.test(after) && cursorOf(after) === cursor) return after;
    context.addIssue({ code: "custom", message: "must be the next_cursor of an earlier page" });
    return z.NEVER;
  })
  .optional();

/** A whole number in a query, where everything is text. */
function wholeNumber(most: number, message: string) {
  return z.preprocess(
    (text) => (typeof text === "string" && /^\d{1,9}$/.test(text) ? Number(text) : text),
    z
      .int({ error: () => message })
      .min(1, message)
      .max(most, message),
  );
}

const pageFields = {
  limit: wholeNumber(maxPageSize, `must be 1 to ${maxPageSize}`).default(50).describe("Number of entries on a page"),
  cursor,
};

/** Some entries of a list by their ids, with commas between them. @param ofWhat e.g. "callers" */
export function idList(ofWhat: string) {
  const message = `must be 1 to ${maxPageSize} ids of ${ofWhat}, each once, with commas between them`;
  return z
    .preprocess(
      (text) => (typeof text === "string" ? text.split(",") : text),
      z
        .array(z.string().regex(/^\S{1,255}$/, message))
        .max(maxPageSize, message)
        .refine((ids) => new Set(ids).size === ids.length, message),
    )
    .optional()
    .describe(`Only these ${ofWhat}: a comma-separated list of ids. The answer has all of them on one page`);
}

/** The query of a list: `limit` and `cursor`. */
export const pageQuery = fields(pageFields).transform(({ limit, cursor }): PageRequest => ({ limit, after: cursor }));

/** The query of a list with filters. */
export function filteredPageQuery<Shape extends z.ZodRawShape>(filters: Shape) {
  const filter = fields(filters);
  return fields({ ...pageFields, ...filters }).transform((query) => {
    const { limit, cursor, ...rest } = query as z.output<ReturnType<typeof fields<typeof pageFields>>>;
    return { page: { limit, after: cursor } as PageRequest, filter: rest as z.output<typeof filter> };
  });
}

/** The `format` parameter of a list that is also served as CSV. */
export const listFormat = z
  .enum(["json", "csv"], { error: () => "must be json or csv" })
  .meta({ id: "ListFormat", description: "Format of the answer: JSON, or CSV for spreadsheets" })
  .default("json")
  .describe("`csv`: one line for each entry, after a line with the names of the columns");

/** Entries of a page: the maximum and the default. A page of CSV becomes a file, so it may be longer. */
export type PageSizes = Record<"json" | "csv", { most: number; usual: number }>;

const pageSizes = { json: { most: maxPageSize, usual: 50 }, csv: { most: 1_000, usual: 1_000 } } satisfies PageSizes;

/** The `limit` of a list that is also served as CSV. */
export function exportedLimit({ json, csv }: PageSizes) {
  return wholeNumber(csv.most, `must be 1 to ${json.most}, as CSV to ${csv.most}`)
    .optional()
    .describe(
      `Number of entries on a page. JSON: up to ${json.most}, ${json.usual} by default. CSV: up to ${csv.most}, which is also the default`,
    );
}

/** The query of a list with filters that is also served as CSV. */
export function exportedPageQuery<Shape extends z.ZodRawShape>(filters: Shape) {
  const filter = fields(filters);
  const asked = fields({ limit: exportedLimit(pageSizes), cursor, format: listFormat });
  return fields({ ...asked.shape, ...filters }).transform((query, context) => {
    const { limit, cursor, format, ...rest } = query as z.output<typeof asked>;
    const { most, usual } = pageSizes[format];
    if (limit !== undefined && limit > most) {
      context.addIssue({ code: "custom", path: ["limit"], message: `must be 1 to ${most}` });
    }
    const page: PageRequest = { limit: limit ?? usual, after: cursor };
    return { page, filter: rest as z.output<typeof filter> };
  });
}

const hourMessage =
  "must be a date such as 2026-11-21, or the beginning of an hour of UTC such as 2026-11-21T05:00:00Z; the + of an offset is written %2B in an address";

/** A date or an hour, read as milliseconds since the epoch. */
export const wholeHour = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], { error: () => hourMessage })
  .transform((text) => Date.parse(text))
  .refine((time) => time % hourMs === 0, hourMessage);

/** The answer of a list. Its name is that of its entries, which need one. */
export function pageSchema<T extends z.ZodType>(item: T) {
  return z
    .object({
      data: z.array(item).describe("Entries of the page"),
      next_cursor: z.string().optional().describe("Value of `cursor` for the next page. Missing on the last page"),
    })
    .meta({ id: `${item.meta()?.id}Page`, description: "A page of a list" });
}

export function pageAnswer<T>({ items, next }: Page<T>): { data: T[]; next_cursor?: string } {
  return { data: items, ...(next !== undefined && { next_cursor: cursorOf(next) }) };
}

function cursorOf(next: string): string {
  return Buffer.from(next, "latin1").toString("base64url");
}

const groupSchema = z.array(z.string()).min(1);

/**
 * Reads the cursor of a grouped list: the values of the last row's groups.
 * @throws Refusal invalid_request unless it is the cursor of a page with as many groups
 */
export function groupOf(cursor: string | undefined, groups: number): string[] | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const parsed = groupSchema.safeParse(parsedJson(text));
  if (parsed.success && parsed.data.length === groups && groupCursor(parsed.data) === cursor) return parsed.data;
  throw fieldRefusal("invalid_request", "cursor", "must be the next_cursor of an earlier page with the same group_by");
}

export function groupCursor(group: readonly string[]): string {
  return Buffer.from(JSON.stringify(group), "utf8").toString("base64url");
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
