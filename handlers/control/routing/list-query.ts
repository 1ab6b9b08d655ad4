// Lists over HTTP: the query that asks for a page, the opaque cursor that leads to the next page, and the answer.
import * as z from "zod";
import type { Page, PageRequest } from "../../../domain/kernel/page.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { fields } from "../../../domain/kernel/validation.ts";

export const maxPageSize = 100;

const limitMessage = `must be 1 to ${maxPageSize}`;

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

const pageFields = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, limitMessage)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= maxPageSize, limitMessage)
    .default(50)
    .describe(`1 to ${maxPageSize}; 50 unless given`),
  cursor,
};

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
export const listFormat = z.enum(["json", "csv"], { error: () => "must be json or csv" }).default("json");

/** Entries of a page: the maximum and the default. A page of CSV becomes a file, so it may be longer. */
const pageSizes = { json: { most: maxPageSize, usual: 50 }, csv: { most: 1_000, usual: 1_000 } } as const;

/** The query of a list with filters that is also served as CSV. */
export function exportedPageQuery<Shape extends z.ZodRawShape>(filters: Shape) {
  const filter = fields(filters);
  const limit = z
    .string()
    .regex(/^[1-9]\d{0,3}$/, "must be a number from 1 on")
    .transform(Number)
    .optional()
    .describe(`1 to ${maxPageSize}, 50 unless given; as CSV up to ${pageSizes.csv.most}, which is also usual`);
  const asked = fields({ limit, cursor, format: listFormat });
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

/** The answer of a list. */
export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), next_cursor: z.string().optional() });
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
  throw new Refusal("invalid_request", "cursor: must be the next_cursor of an earlier page with the same group_by");
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
