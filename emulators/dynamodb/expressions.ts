// A cache of parsed expressions. Parsing was the largest cost of a call, and a program sends the same few expressions again and again, with
// other names and values.
import { type Item, type Parser, type ParserContext, parsers } from "./dynalite.ts";

/** A parsed expression with marks where the request's names and values go. */
type Template = {
  tree: unknown;
  /** Attribute names written out in the expression. */
  literals: Set<string>;
  /** The objects in the tree in whose place a request's value goes, each with the value's name (`:amount`). */
  valueMarks: Map<unknown, string>;
  usedNames: string[];
  usedValues: string[];
};

/** Templates per parser. The least recently used template is dropped first. */
const capacity = 500;

// The result of these two depends on the values and not only on their types (the order of bounds, the name of a type).
const valueDependent = /\b(between|attribute_type)\b/i;
const literal = /(?<![#:\w])[a-z]\w*/gi;
const mark = "\0";

/** Replaces the parsers of dynalite, which are module state, for the whole process. */
export function rememberExpressions(): void {
  for (const parser of parsers) parser.parse = remembering(parser.parse);
}

/** A parse function with the results of `parse`. Each call returns a fresh tree, since the actions of dynalite change it. */
export function remembering(parse: Parser["parse"]): Parser["parse"] {
  const templates = new Map<string, Template>();
  const keep = (key: string, template: Template) => {
    templates.delete(key);
    templates.set(key, template);
    if (templates.size > capacity) templates.delete(templates.keys().next().value as string);
  };
  return (expression, options) => {
    const { context } = options;
    const { attrNames = {}, attrVals = {} } = context;
    const key = keyOf(expression, context);
    const known = templates.get(key);
    if (known && areInterchangeable(attrNames, known.literals)) {
      keep(key, known);
      for (const name of known.usedNames) delete context.unusedAttrNames[name];
      for (const name of known.usedValues) delete context.unusedAttrVals[name];
      return fill(known, attrNames, attrVals);
    }
    const parsed = parse(expression, options);
    if (known || typeof parsed === "string" || valueDependent.test(expression)) return parsed;
    const literals = new Set(expression.match(literal));
    if (areInterchangeable(attrNames, literals)) keep(key, templateOf(parse, expression, literals, context));
    return parsed;
  };
}

/** Everything that a parse depends on, except the names and values themselves. */
function keyOf(expression: string, { attrNames = {}, attrVals = {}, isKeyCondition = false }: ParserContext): string {
  const types = Object.entries(attrVals).map(([name, value]) => `${name}${Object.keys(value)[0]}`);
  return [isKeyCondition, ...Object.keys(attrNames), ...types, expression].join(" ");
}

/** Whether other names would parse the same: the parser compares names with each other and with the literal names. */
function areInterchangeable(attrNames: Record<string, string>, literals: Set<string>): boolean {
  const names = Object.values(attrNames);
  return new Set(names).size === names.length && names.every((name) => name !== "" && !literals.has(name));
}

function templateOf(
  parse: Parser["parse"],
  expression: string,
  literals: Set<string>,
  context: ParserContext,
): Template {
  const names = Object.keys(context.attrNames ?? {});
  // The values are copied, so that each is a distinct object and the template keeps no part of the request.
  const values = Object.entries(context.attrVals ?? {}).map(([name, value]) => [name, structuredClone(value)] as const);
  const unusedAttrNames = Object.fromEntries(names.map((name) => [name, true]));
  const unusedAttrVals = Object.fromEntries(values.map(([name]) => [name, true]));
  const attrNames = Object.fromEntries(names.map((name) => [name, mark + name]));
  const attrVals = Object.fromEntries(values);
  const tree = parse(expression, { context: { ...context, attrNames, attrVals, unusedAttrNames, unusedAttrVals } });
  return {
    tree,
    literals,
    valueMarks: new Map(values.map(([name, value]) => [value, name])),
    usedNames: names.filter((name) => !(name in unusedAttrNames)),
    usedValues: values.map(([name]) => name).filter((name) => !(name in unusedAttrVals)),
  };
}

/** A copy of the tree with this request's names and values in their places. */
function fill({ tree, valueMarks }: Template, names: Record<string, string>, values: Item): unknown {
  const nameAt = (text: string) => (text.startsWith(mark) ? (names[text.slice(1)] as string) : text);
  const copy = (part: unknown): unknown => {
    if (typeof part === "string") return nameAt(part);
    if (typeof part !== "object" || part === null) return part;
    const value = valueMarks.get(part);
    if (value !== undefined) return values[value];
    if (Array.isArray(part)) return part.map(copy);
    const object = Object.create(Object.getPrototypeOf(part));
    for (const [key, member] of Object.entries(part)) object[nameAt(key)] = copy(member);
    return object;
  };
  return copy(tree);
}
