// The operations of a document that are to be tools, as a person chooses them. An operation is chosen if each list that is given has it.
import * as z from "zod";
import { fields } from "../kernel/validation.ts";
import { methods, placeOf, type SpecOperation, tagsOf } from "./document.ts";

const upperMethods = methods.map((method) => method.toUpperCase());

const texts = (what: string, most = 200) =>
  z
    .array(z.string().min(1, "must not be empty").max(256, "must have at most 256 characters"))
    .min(1, "must have at least one entry")
    .max(most, `must have at most ${most} entries`)
    .describe(what)
    .optional();

const lists = {
  tags: texts("Operations with one of these tags"),
  paths: texts("Operations whose path is one of these, or is below one of these"),
  methods: z
    .array(z.enum(upperMethods, { error: () => `must be one of ${upperMethods.join(", ")}` }))
    .min(1, "must have at least one entry")
    .max(methods.length, `must have at most ${methods.length} entries`)
    .describe("Operations with one of these methods")
    .optional(),
  ids: texts("Operations with one of these operation ids, or places such as `GET /pets`", 1_000),
};

export const operationChoiceBody = fields(lists).meta({
  id: "OperationChoice",
  description: "The operations of an API that become tools. An operation must be in each list that is given",
});

/** A choice as it is kept and shown. */
export const operationChoiceSchema = z
  .object(lists)
  .meta({ id: "ChosenOperations", description: "The operations of an API that are tools" });

export type OperationChoice = z.output<typeof operationChoiceBody>;

export function chosen(operations: readonly SpecOperation[], choice: OperationChoice = {}): SpecOperation[] {
  const { tags, paths, methods: verbs, ids } = choice;
  return operations.filter(
    (one) =>
      (!tags || tagsOf(one).some((tag) => tags.includes(tag))) &&
      (!paths || paths.some((path) => isBelow(one.template, path))) &&
      (!verbs || verbs.includes(one.method.toUpperCase())) &&
      (!ids || ids.some((id) => id === one.operation.operationId || id === placeOf(one))),
  );
}

function isBelow(template: string, path: string): boolean {
  const base = path.replace(/\/+$/, "");
  return template === path || template === base || template.startsWith(`${base}/`);
}

/** The first entry of a choice that no operation has, as a field and a message; undefined if each has one. */
export function emptyEntry(
  operations: readonly SpecOperation[],
  choice: OperationChoice = {},
): { field: string; message: string } | undefined {
  for (const list of ["tags", "paths", "methods", "ids"] as const) {
    for (const [index, entry] of (choice[list] ?? []).entries()) {
      if (chosen(operations, { [list]: [entry] }).length === 0) {
        return { field: `operations.${list}.${index}`, message: "fits no operation of the document" };
      }
    }
  }
  return undefined;
}
