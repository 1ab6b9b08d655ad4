// What may be asked of usage: the query of GET /v1/usage, and the cursor that leads to the next rows.
import * as z from "zod";
import { listFormat } from "../kernel/page.ts";
import { Refusal } from "../kernel/refusal.ts";
import { fields } from "../kernel/validation.ts";
import { everyGrouping, type Grouping, type Place } from "./usage-groups.ts";
import { usageTime } from "./usage-range.ts";

/** Rows of an answer: as many at the most, and as many if none are asked for. Lambda's answer has room for 6 MB. */
const limits = { json: { most: 1_000, usual: 50 }, csv: { most: 10_000, usual: 10_000 } } as const;

const names = everyGrouping.join(", ");
const isGrouping = (name: string): name is Grouping => everyGrouping.some((one) => one === name);

const groupBy = z.string().transform((text, context) => {
  const asked = text.split(",");
  const groups = asked.filter(isGrouping);
  if (groups.length === asked.length && new Set(groups).size === groups.length) return groups;
  context.addIssue({ code: "custom", message: `must be some of ${names}, each once, with commas between them` });
  return z.NEVER;
});

export const usageQuery = fields({
  from: usageTime.optional(),
  to: usageTime.optional(),
  group_by: groupBy.optional(),
  /** The caller whose usage is asked for: a person's sub, or a service account's `sa_...`. */
  caller_id: z.string().min(1, "must not be empty").max(255, "must have at most 255 characters").optional(),
  format: listFormat,
  limit: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, "must be a number from 1 on")
    .transform(Number)
    .optional(),
  cursor: z.string().max(2_048, "must be the next_cursor of an earlier page").optional(),
}).transform(({ group_by = [], limit, format, ...rest }, context) => {
  const { most, usual } = limits[format];
  if (limit !== undefined && limit > most) {
    context.addIssue({ code: "custom", path: ["limit"], message: `must be 1 to ${most}` });
  }
  return { ...rest, format, by: group_by, limit: limit ?? usual };
});

const placeSchema = z.array(z.string()).min(1);

/** @throws Refusal invalid_request unless it is the cursor of a page with as many groups */
export function placeOf(cursor: string | undefined, groups: number): Place | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const parsed = placeSchema.safeParse(parsedJson(text));
  if (parsed.success && parsed.data.length === groups && cursorOf(parsed.data) === cursor) return parsed.data;
  throw new Refusal("invalid_request", "cursor: must be the next_cursor of an earlier page with the same group_by");
}

export function cursorOf(place: Place): string {
  return Buffer.from(JSON.stringify(place), "utf8").toString("base64url");
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
