// Pages of a list: how a caller asks for one, and the opaque cursor that leads to the next.
import * as z from "zod";
import { fields } from "./validation.ts";

export const maxPageSize = 100;

/** `after` is the `next` of the page before. */
export type PageRequest = { limit: number; after: string | undefined };
export type Page<T> = { items: T[]; next: string | undefined };

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

/** The query of a list that can be narrowed: the page, and the filters beside it. */
export function filteredPageQuery<Shape extends z.ZodRawShape>(filters: Shape) {
  const filter = fields(filters);
  return fields({ ...pageFields, ...filters }).transform((query) => {
    const { limit, cursor, ...rest } = query as z.output<ReturnType<typeof fields<typeof pageFields>>>;
    return { page: { limit, after: cursor } as PageRequest, filter: rest as z.output<typeof filter> };
  });
}

/** In what form a list that can be had as CSV is wanted. */
export const listFormat = z.enum(["json", "csv"], { error: () => "must be json or csv" }).default("json");

/** Entries of a page: at the most, and unless fewer are asked for. A page of CSV is what becomes a file. */
const pageSizes = { json: { most: maxPageSize, usual: 50 }, csv: { most: 1_000, usual: 1_000 } } as const;

/** As `filteredPageQuery`, of a list that can be had as CSV. */
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
