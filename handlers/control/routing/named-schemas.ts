// The schemas of the OpenAPI document, by name. A schema's name is the `id` of its zod schema.
import * as z from "zod";

export type Schema = z.core.JSONSchema.BaseSchema;
type Direction = "input" | "output";

export class NamedSchemas {
  readonly #schemas = new Map<string, Schema>();

  /** The schema as the document refers to it. Whatever has a name is kept under it. @throws Error for two meanings of one name */
  refer(schema: z.ZodType, io: Direction): Schema {
    const { properties = {}, $defs = {} } = withReferences(jsonOf(z.object({ schema }), io));
    for (const [name, named] of Object.entries($defs)) this.#keep(name, named);
    return properties.schema as Schema;
  }

  /** In the order of their names. */
  all(): Record<string, Schema> {
    return Object.fromEntries([...this.#schemas].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }

  #keep(name: string, schema: Schema): void {
    const known = this.#schemas.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`${name} names two schemas`);
    this.#schemas.set(name, schema);
  }
}

/** The schema itself, without a reference to its name. */
function jsonOf(schema: z.ZodType, io: Direction): Schema {
  const { $schema, id, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema, zodSchema }) => {
      delete jsonSchema.id;
      // A format needs no pattern beside it, and a whole number needs no bounds that are only those of doubles.
      if (jsonSchema.format) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // zod does not write the default of a field that `z.preprocess` reads, as it does `limit` of every list.
      if (io === "input" && zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue;
      // A generator of Python clients can say no default that is an object: the description does.
      if (typeof jsonSchema.default === "object") delete jsonSchema.default;
      // Answers may get further fields later, so they are open.
      if (io === "output" && zodSchema instanceof z.ZodObject) delete jsonSchema.additionalProperties;
    },
  });
  return rest;
}

function withReferences(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
