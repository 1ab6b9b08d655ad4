// Remembers what dynalite's parsers made of an expression: parsing was the largest cost of a call, and a program sends
// the same few expressions again and again, only with other names and values in them.
import { type Item, type Parser, type ParserContext, parsers } from "./dynalite.ts";

/** A parsed expression with marks where the request's names and values go. */
type Template = {
  tree: unknown;
  /** The values of the request that made the template: where one stands in the tree, its namesake goes. */
  valueMarks: Map<unknown, string>;
  usedNames: string[];
  usedValues: string[];
};

type Remembered = {
  /** Attribute names written out in the expression. */
  literals: Set<string>;
  /** By the placeholders and the types of the values. */
  templates: Map<string, Template>;
};

/** Expressions kept for each parser; the one unused for longest goes first. */
const capacity = 500;

// These two parse differently for other values of the same type (bounds in order, a type's name).
const valueDependent = /\b(between|attribute_type)\b/i;
const literal = /(?<![#:\w])[a-z]\w*/gi;
const mark = "\0";

/** Makes every parser of dynalite remember. Module state of dynalite's, hence once for the process. */
export function rememberExpressions(): void {
  for (const parser of parsers) parser.parse = remembering(parser.parse);
}

/** A parse function that answers as `parse` does, with a fresh tree each time: dynalite's actions write into it. */
export function remembering(parse: Parser["parse"]): Parser["parse"] {
  const expressions = new Map<string, Remembered>();
  return (expression, options) => {
    const { context } = options;
    const names = context.attrNames ?? {};
    const values = context.attrVals ?? {};
    if (valueDependent.test(expression)) return parse(expression, options);

    const remembered = expressions.get(expression) ?? {
      literals: new Set(expression.match(literal)),
      templates: new Map(),
    };
    if (!areInterchangeable(Object.values(names), remembered.literals)) return parse(expression, options);
    expressions.delete(expression);
    expressions.set(expression, remembered);
    if (expressions.size > capacity) expressions.delete(expressions.keys().next().value as string);

    const signature = signatureOf(names, values, context.isKeyCondition);
    const template = remembered.templates.get(signature);
    if (template) {
      for (const name of template.usedNames) delete context.unusedAttrNames[name];
      for (const name of template.usedValues) delete context.unusedAttrVals[name];
      return fill(template.tree, template.valueMarks, names, values);
    }
    const parsed = parse(expression, options);
    if (typeof parsed !== "string") remembered.templates.set(signature, templateOf(parse, expression, context));
    return parsed;
  };
}

/** Whether other names would parse the same: the parser compares names with each other and with those written out. */
function areInterchangeable(names: string[], literals: Set<string>): boolean {
  return new Set(names).size === names.length && names.every((name) => name !== "" && !literals.has(name));
}

function signatureOf(names: Record<string, string>, values: Item, isKeyCondition = false): string {
  const types = Object.entries(values).map(([name, value]) => `${name}${Object.keys(value)[0]}`);
  return [isKeyCondition, ...Object.keys(names), ...types].join(" ");
}

function templateOf(parse: Parser["parse"], expression: string, context: ParserContext): Template {
  const names = Object.keys(context.attrNames ?? {});
  // Copies, so that each is an object of its own and nothing of the request is kept.
  const values = Object.entries(context.attrVals ?? {}).map(([name, value]) => [name, structuredClone(value)] as const);
  const unusedAttrNames = Object.fromEntries(names.map((name) => [name, true]));
  const unusedAttrVals = Object.fromEntries(values.map(([name]) => [name, true]));
  const attrNames = Object.fromEntries(names.map((name) => [name, mark + name]));
  const attrVals = Object.fromEntries(values);
  const tree = parse(expression, { context: { ...context, attrNames, attrVals, unusedAttrNames, unusedAttrVals } });
  return {
    tree,
    valueMarks: new Map(values.map(([name, value]) => [value, name])),
    usedNames: names.filter((name) => !(name in unusedAttrNames)),
    usedValues: values.map(([name]) => name).filter((name) => !(name in unusedAttrVals)),
  };
}

/** A copy of the tree with this request's names and values in their places. */
function fill(node: unknown, marks: Map<unknown, string>, names: Record<string, string>, values: Item): unknown {
  const nameAt = (text: string) => (text.startsWith(mark) ? (names[text.slice(1)] as string) : text);
  const copy = (part: unknown): unknown => {
    if (typeof part === "string") return nameAt(part);
    if (typeof part !== "object" || part === null) return part;
    const value = marks.get(part);
    if (value !== undefined) return values[value];
    if (Array.isArray(part)) return part.map(copy);
    const object = Object.create(Object.getPrototypeOf(part));
    for (const [key, member] of Object.entries(part)) object[nameAt(key)] = copy(member);
    return object;
  };
  return copy(node);
}
