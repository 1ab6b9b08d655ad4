// Random conditions and updates over a few attributes, of items that have them, lack them or have others in their place.
import fc from "fast-check";

const values = [":one", ":five", ":text", ":map", ":yes"];
/** `m` is a map mostly. */
const paths = ["#a", "b", "#m.n", "#m.x", "#m"];

const path = fc.constantFrom(...paths);
const value = fc.constantFrom(...values);

const value_ = fc.constantFrom<unknown>(0, 1, 3, 5, "x", "y", true);
export const randomItem: fc.Arbitrary<Record<string, unknown>> = fc.record(
  {
    a: value_,
    b: value_,
    m: fc.oneof({ weight: 4, arbitrary: fc.record({ n: value_, x: value_ }, { requiredKeys: [] }) }, value_),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, unknown>>;

const comparison = fc
  .tuple(path, fc.constantFrom("=", "<>", "<", "<=", ">", ">="), value)
  // The store takes order of maps and booleans for a mistake.
  .filter(([, operator, right]) => ["=", "<>"].includes(operator) || ![":map", ":yes"].includes(right))
  .map((parts) => parts.join(" "));
const single = fc.oneof(
  { weight: 3, arbitrary: comparison },
  path.map((name) => `attribute_exists(${name})`),
  path.map((name) => `attribute_not_exists(${name})`),
  path.map((name) => `begins_with(${name}, :text)`),
  path.map((name) => `${name} BETWEEN :one AND :five`),
);

export const randomCondition: fc.Arbitrary<{ expression: string }> = fc
  .oneof(
    single,
    fc.tuple(single, single, single).map(([a, b, c]) => `${a} AND ${b} OR ${c}`),
    fc.tuple(single, single, single).map(([a, b, c]) => `${a} AND (${b} OR ${c})`),
    fc.tuple(single, single).map(([a, b]) => `NOT ${a} AND ${b}`),
  )
  .map((expression) => ({ expression }));

const number = fc.constantFrom(":one", ":five");
/** Dynalite lets both attributes share a map that one takes from the other, where AWS copies it; the product copies none. */
const scalarPath = path.filter((name) => name !== "#m");
const set = fc.oneof(
  fc.tuple(path, value).map(([to, from]) => `${to} = ${from}`),
  fc.tuple(path, path, number).map(([to, from, by]) => `${to} = ${from} + ${by}`),
  fc.tuple(path, path, number).map(([to, from, by]) => `${to} = ${from} - ${by}`),
  fc.tuple(path, scalarPath, value).map(([to, from, other]) => `${to} = if_not_exists(${from}, ${other})`),
);
const add = fc.tuple(path, number).map((parts) => parts.join(" "));
const some = (clause: string, parts: fc.Arbitrary<string>) =>
  fc.array(parts, { maxLength: 2 }).map((all) => (all.length > 0 ? `${clause} ${all.join(", ")}` : ""));

export const randomUpdate: fc.Arbitrary<{ expression: string }> = fc
  .tuple(some("SET", set), some("REMOVE", path), some("ADD", add))
  .map((clauses) => ({ expression: clauses.filter((clause) => clause !== "").join(" ") }))
  .filter(({ expression }) => expression !== "");
