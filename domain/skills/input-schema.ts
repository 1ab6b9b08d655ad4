// The JSON Schema of a script's input. It becomes the schema of a tool, so any client must be able to read it without fetching anything.
import { record } from "../kernel/json.ts";
import { uploadLimits } from "./limits.ts";
import { type SkillFile, type SkillProblem, utf8TextOf } from "./skill-file.ts";

export type InputSchema = { type: "object"; [keyword: string]: unknown };

/** Keywords by which a schema leads anywhere else or depends on where it is read (json-schema.org/draft/2020-12/json-schema-core). */
const leading = ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary"];
/** Subschemas after each reference is replaced by what it leads to, as clients without references do. */
const mostParts = 5_000;
const mostLevels = 32;

export function readInputSchema(file: SkillFile): { schema?: InputSchema; problems: SkillProblem[] } {
  const refuse = (message: string) => ({ problems: [{ path: file.path, message }] });
  if (file.content.length > uploadLimits.schemaBytes) {
    return refuse(`is a schema of ${file.content.length} bytes, at most ${uploadLimits.schemaBytes} are allowed`);
  }
  let schema: unknown;
  try {
    schema = JSON.parse(utf8TextOf(file) ?? "");
  } catch {
    return refuse("must be a JSON Schema in JSON");
  }
  if (record(schema).type !== "object" || Array.isArray(schema))
    return refuse('must be a JSON Schema of type "object"');
  const problem = partProblem(schema);
  return problem === undefined ? { schema: schema as InputSchema, problems: [] } : refuse(problem);
}

/** The first thing that is wrong in the schema or in anything that it refers to. */
function partProblem(schema: unknown): string | undefined {
  let parts = 0;

  function walk(value: unknown, references: readonly string[], level: number): string | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    parts += 1;
    if (parts > mostParts) return `must have at most ${mostParts} parts once its references are followed`;
    if (level > mostLevels) return `must have at most ${mostLevels} levels`;
    for (const [name, member] of Object.entries(value)) {
      // A name of a property may look like a keyword; then its value is a schema and no text.
      if (leading.includes(name) && typeof member !== "object") return `must not have ${name}`;
      const problem =
        name === "$ref" && typeof member === "string"
          ? followed(member, references, level)
          : walk(member, references, level + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  function followed(reference: string, references: readonly string[], level: number): string | undefined {
    if (!/^#\/\$defs\/[\w.-]+$/.test(reference) && !/^#\/definitions\/[\w.-]+$/.test(reference)) {
      return "must refer to its own #/$defs alone";
    }
    if (references.includes(reference)) return `must not refer to itself: ${reference} leads back to ${reference}`;
    const [, place = "", name = ""] = reference.split("/");
    const definitions = record(record(schema)[place]);
    if (!Object.hasOwn(definitions, name)) return `refers to ${reference}, which is not there`;
    return walk(definitions[name], [...references, reference], level + 1);
  }

  return walk(schema, [], 1);
}
