// A deterministic value that fits a JSON schema: the input that the local Bedrock gives a tool.
import { Script } from "node:vm";
import { generateSync, type JsonSchema } from "json-schema-faker";

/** All samples use one seed, so that a sample depends on its schema and its question alone. */
const seed = 1;

/** Deeper lists are empty and deeper optional members left out, so that a schema may contain itself. */
const maxDepth = 12;

/** A tool's schema takes about a millisecond. The limit ends those that ask for a value of endless size. */
const timeoutMs = 500;

/** A script, unlike a function, can be stopped while it runs. */
const script = new Script("generate()");

/**
 * A value that the schema allows, with its required members, or all of them if none is required. An empty object stands for a value of a
 * schema that is not understood, that nothing fits, or that takes too long.
 * @param question is put into strings that the schema leaves free, where their name asks for text.
 */
export function sample(schema: unknown, question: string): unknown {
  const { required } = Object(schema) as { required?: unknown[] };
  const options = {
    seed,
    maxDepth,
    maxDefaultItems: 1,
    optionalsProbability: required?.length ? 0 : 1,
    useDefaultValue: true,
    useExamplesValue: true,
    outputTransform: (value: unknown, part: JsonSchema, path: string) => adjust(value, Object(part), path, question),
  };
  try {
    const generate = () => generateSync(schema as JsonSchema, options);
    return script.runInNewContext({ generate }, { timeout: timeoutMs });
  } catch {
    return {};
  }
}

type Bounds = { minimum?: number; maximum?: number; exclusiveMinimum?: number; exclusiveMaximum?: number };
type Lengths = { minLength?: number; maxLength?: number };

function adjust(value: unknown, schema: Bounds & Lengths, path: string, question: string): unknown {
  if (typeof value === "number") return withinBounds(value, schema);
  if (typeof value !== "string" || contentKeywords.some((keyword) => keyword in schema)) return value;
  return freeText(schema, path, question);
}

/** Where a schema has one bound, the library assumes 1000 or -1000 for the other, whatever the first one is. */
function withinBounds(value: number, schema: Bounds): number {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema;
  if (value < minimum || value <= exclusiveMinimum)
    return Math.max(Math.ceil(minimum), Math.floor(exclusiveMinimum) + 1);
  if (value > maximum || value >= exclusiveMaximum)
    return Math.min(Math.floor(maximum), Math.ceil(exclusiveMaximum) - 1);
  return value;
}

/** Keywords that determine the content of a string. A string without any of them may be any text. */
const contentKeywords = ["const", "enum", "default", "examples", "format", "pattern"];

/** The question or the string's own name, which say more to a reader than random letters. */
function freeText({ minLength = 0, maxLength = Math.max(minLength, 200) }: Lengths, path: string, question: string) {
  const name = /[^/]+(\/\d+)?$/.exec(path)?.[0] ?? "value";
  const text = /query|prompt|question|text|message|input/i.test(name) ? question || name : name;
  return text.padEnd(minLength, ".").slice(0, maxLength);
}
