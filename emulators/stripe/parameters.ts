// Parameters: the forms with brackets of v1 and the JSON of v2, read by a schema. An unknown parameter is refused, as Stripe refuses it.
import * as z from "zod";
import { invalidParameter } from "./refusal.ts";

export type Tree = { [key: string]: Tree | Tree[] | string };

/** Whole numbers and booleans of a form are text. */
export const int = z.union([z.string().regex(/^-?\d{1,15}$/), z.int()]).transform(Number);
export const bool = z.union([z.enum(["true", "false"]).transform((text) => text === "true"), z.boolean()]);
export const metadata = z.record(z.string().max(40), z.string().max(500));
/** Fields of an invoice (docs.stripe.com/invoicing/customize: four at most, 40 and 140 characters). */
export const customFields = z
  .array(z.strictObject({ name: z.string().min(1).max(40), value: z.string().min(1).max(140) }))
  .max(4);

/** `items[0][price]=p&metadata[a]=b` as a tree. A node with only numbers for keys is a list. */
export function parseForm(text: string): Tree {
  const root: Tree = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = [...name.matchAll(/[^[\]]+|\[\]/g)].map(([key]) => key);
    let node = root;
    keys.forEach((given, index) => {
      const key = given === "[]" ? String(Object.keys(node).length) : given;
      const next = index === keys.length - 1 ? value : (node[key] ?? {});
      node[key] = next;
      if (typeof next !== "string") node = next as Tree;
    });
  }
  return lists(root) as Tree;
}

function lists(node: Tree | string): Tree | Tree[] | string {
  if (typeof node === "string") return node;
  const entries = Object.entries(node).map(([key, value]) => [key, lists(value as Tree | string)] as const);
  if (entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key)))
    return entries.map(([, value]) => value as Tree);
  return Object.fromEntries(entries);
}

/** @throws StripeRefusal that names the first parameter that is missing, unknown or of another type. */
export function readParameters<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues as [z.core.$ZodIssue];
  if (issue.code === "unrecognized_keys") {
    const name = nameOf([...issue.path, issue.keys[0] ?? ""]);
    throw invalidParameter("parameter_unknown", `Received unknown parameter: ${name}`, name);
  }
  const name = nameOf(issue.path);
  if (issue.input === undefined) throw invalidParameter("parameter_missing", `Missing required param: ${name}.`, name);
  throw invalidParameter("parameter_invalid", `Invalid ${name}: ${issue.message}`, name);
}

function nameOf([first, ...rest]: PropertyKey[]): string {
  return `${String(first ?? "")}${rest.map((key) => `[${String(key)}]`).join("")}`;
}

/** Empty text removes a key (docs.stripe.com/api/metadata). */
export function mergedMetadata(
  current: Record<string, string>,
  given: Record<string, string> = {},
): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...current, ...given }).filter(([, value]) => value !== ""));
}

/** The parameters that were given. */
export function defined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
