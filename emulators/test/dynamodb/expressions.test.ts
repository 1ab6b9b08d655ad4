import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Item, type Parser, type ParserContext, parsers } from "../../dynamodb/dynalite.ts";
import { remembering } from "../../dynamodb/expressions.ts";

const [condition, projection, update] = parsers.map((parser) => parser.parse) as [
  Parser["parse"],
  Parser["parse"],
  Parser["parse"],
];

/** Parses, and tells what the parser answered and which names and values it left unused. */
function parseWith(parse: Parser["parse"], expression: string, attrNames: Record<string, string>, attrVals: Item) {
  const all = (placeholders: object) => Object.fromEntries(Object.keys(placeholders).map((name) => [name, true]));
  const context: ParserContext = {
    attrNames,
    attrVals,
    unusedAttrNames: all(attrNames),
    unusedAttrVals: all(attrVals),
  };
  // As dynalite adds them: its own list of reserved words, and its comparison of bounds.
  Object.assign(context, {
    isReserved: (name: string) => name.toUpperCase() === "TOTAL",
    compare: (_operator: string, x: { N: string }, y: { N: string }) => Number(x.N) > Number(y.N),
  });
  const answer = parse(expression, { context });
  return { answer, names: Object.keys(context.unusedAttrNames), values: Object.keys(context.unusedAttrVals) };
}

/** A parse function that counts its calls. */
function counting(parse: Parser["parse"]) {
  const counted = {
    calls: 0,
    parse: (...args: Parameters<typeof parse>) => {
      counted.calls += 1;
      return parse(...args);
    },
  };
  return counted;
}

describe("a remembered expression", () => {
  test("a cached expression evaluates like a newly parsed one, with any names and values", () => {
    const expressions: [Parser["parse"], string][] = [
      [condition, "attribute_not_exists(#a) AND (spent < :x OR #b = :y OR contains(#c.d, :x))"],
      [condition, "#a BETWEEN :x AND :y"],
      [condition, "attribute_type(#a, :x) OR size(#b) > :y"],
      [condition, "total = :x"],
      [update, "SET #a = if_not_exists(#a, :x), #b.spent = :y REMOVE #c ADD d :x"],
      [update, "SET #a = list_append(#b, :x), c = :y"],
      [projection, "#a, #b.c[2], spent, #c"],
    ];
    const remembered = new Map(expressions.map(([parse]) => [parse, remembering(parse)]));
    // Few names and values, so that most requests meet a remembered one, and names meet each other and those written out.
    const name = fc.constantFrom("spent", "c", "d", "r#1", "r#2", "a.b", "total", "");
    const value = fc.constantFrom({ N: "1" }, { N: "2" }, { S: "S" }, { L: [{ N: "1" }] });
    const names = fc.record({ "#a": name, "#b": name, "#c": name, "#unused": name }, { requiredKeys: ["#a", "#b"] });
    const values = fc.record({ ":x": value, ":y": value, ":unused": value }, { requiredKeys: [":x"] });
    fc.assert(
      fc.property(fc.constantFrom(...expressions), names, values, ([parse, expression], attrNames, attrVals) => {
        const expected = parseWith(parse, expression, attrNames, structuredClone(attrVals));
        const actual = parseWith(
          remembered.get(parse) as typeof parse,
          expression,
          attrNames,
          structuredClone(attrVals),
        );
        expect(actual).toStrictEqual(expected);
      }),
      { numRuns: 3000 },
    );
  });

  test("a cached expression is not parsed again, but filled with the request's names and values", () => {
    const parser = counting(update);
    const parse = remembering(parser.parse);
    const ask = (id: string, text: string) =>
      parseWith(parse, "SET #r = :v", { "#r": `r#${id}` }, { ":v": { S: text } }).answer;
    ask("1", "one");
    const first = parser.calls;
    expect(ask("2", "two")).toStrictEqual(
      parseWith(update, "SET #r = :v", { "#r": "r#2" }, { ":v": { S: "two" } }).answer,
    );
    expect(parser.calls).toBe(first);
  });

  test("a cached expression is not changed when a caller changes the result", () => {
    const parse = remembering(update);
    type Tree = { sections: { val: unknown; path: unknown[] }[] };
    const ask = () => parseWith(parse, "SET a = :v", {}, { ":v": { S: "one" } }).answer as Tree;
    for (const answer of [ask(), ask()]) {
      for (const section of answer.sections) {
        section.val = "spoilt";
        section.path.push("spoilt");
      }
    }
    expect(ask()).toStrictEqual(parseWith(update, "SET a = :v", {}, { ":v": { S: "one" } }).answer);
  });

  test("a cached expression is dropped after five hundred others", () => {
    const parser = counting(projection);
    const parse = remembering(parser.parse);
    const ask = (name: string) => parseWith(parse, name, {}, {});
    for (let index = 0; index <= 500; index += 1) ask(`name${index}`);
    const before = parser.calls;
    ask("name500");
    expect(parser.calls).toBe(before);
    ask("name0");
    expect(parser.calls).toBeGreaterThan(before);
  });
});
