// Condition, filter and key expressions, as far as this project has any: comparisons, AND, OR, NOT, BETWEEN, begins_with and
// whether an attribute exists.
import { isDeepStrictEqual } from "node:util";
import { type Bindings, type Item, type Mentioned, readOnce, Tokens } from "./tokens.ts";

type Holds = (item: Item | undefined, bindings: Bindings) => boolean;
type Operand = (item: Item | undefined, bindings: Bindings) => unknown;

export type Condition = { holds: Holds; mentioned: Mentioned };

export const condition = readOnce((expression: string): Condition => {
  const tokens = new Tokens(expression);
  const holds = alternatives(tokens);
  if (!tokens.isAtEnd) throw new SyntaxError(`${expression} goes on with ${tokens.next}`);
  return { holds, mentioned: tokens.mentioned };
});

function alternatives(tokens: Tokens): Holds {
  const first = conjunction(tokens);
  if (!tokens.takeIf("OR")) return first;
  const rest = alternatives(tokens);
  return (item, bindings) => first(item, bindings) || rest(item, bindings);
}

function conjunction(tokens: Tokens): Holds {
  const first = negation(tokens);
  if (!tokens.takeIf("AND")) return first;
  const rest = conjunction(tokens);
  return (item, bindings) => first(item, bindings) && rest(item, bindings);
}

function negation(tokens: Tokens): Holds {
  if (!tokens.takeIf("NOT")) return single(tokens);
  const inner = negation(tokens);
  return (item, bindings) => !inner(item, bindings);
}

function single(tokens: Tokens): Holds {
  if (tokens.takeIf("(")) {
    const inner = alternatives(tokens);
    tokens.expect(")");
    return inner;
  }
  switch (tokens.next) {
    case "attribute_exists":
    case "attribute_not_exists":
      return existence(tokens);
    case "begins_with":
      return beginning(tokens);
    default:
      return comparison(tokens);
  }
}

function existence(tokens: Tokens): Holds {
  const wanted = tokens.take() === "attribute_exists";
  tokens.expect("(");
  const path = tokens.takePath();
  tokens.expect(")");
  return (item, bindings) => (path.read(item, bindings) !== undefined) === wanted;
}

function beginning(tokens: Tokens): Holds {
  tokens.take();
  tokens.expect("(");
  const text = operand(tokens);
  tokens.expect(",");
  const start = operand(tokens);
  tokens.expect(")");
  return (item, bindings) => {
    const [whole, part] = [text(item, bindings), start(item, bindings)];
    return typeof whole === "string" && typeof part === "string" && whole.startsWith(part);
  };
}

function comparison(tokens: Tokens): Holds {
  const left = operand(tokens);
  if (tokens.takeIf("BETWEEN")) {
    const low = operand(tokens);
    tokens.expect("AND");
    const high = operand(tokens);
    return (item, bindings) => {
      const value = left(item, bindings);
      return compared(low(item, bindings), "<=", value) && compared(value, "<=", high(item, bindings));
    };
  }
  const operator = tokens.take();
  if (!comparators.has(operator)) throw new SyntaxError(`${operator} compares nothing`);
  const right = operand(tokens);
  return (item, bindings) => compared(left(item, bindings), operator, right(item, bindings));
}

const comparators = new Set(["=", "<>", "<", "<=", ">", ">="]);

/** What is missing, or of another type, is smaller or larger than nothing. */
function compared(left: unknown, operator: string, right: unknown): boolean {
  if (operator === "=") return left !== undefined && isSame(left, right);
  if (operator === "<>") return !isSame(left, right);
  const ordered = (typeof left === "number" || typeof left === "string") && typeof left === typeof right;
  if (!ordered) return false;
  const [a, b] = [left as number, right as number];
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}

function isSame(left: unknown, right: unknown): boolean {
  return typeof left === "object" ? isDeepStrictEqual(left, right) : left === right;
}

function operand(tokens: Tokens): Operand {
  if (tokens.next?.startsWith(":")) {
    const value = tokens.takeValue();
    return (_item, { values }) => values[value];
  }
  const path = tokens.takePath();
  return (item, bindings) => path.read(item, bindings);
}
