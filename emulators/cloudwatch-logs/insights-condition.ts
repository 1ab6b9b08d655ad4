// The conditions of `filter`: comparisons, `like`, `in`, `ispresent`, joined by and, or and not.
import { AwsError } from "../aws/service.ts";
import type { Token } from "./insights-tokens.ts";

/** The fields of a line, as texts. */
export type Fields = Readonly<Record<string, string>>;
export type Condition = (fields: Fields) => boolean;

/** @throws AwsError MalformedQueryException */
export function conditionOf(tokens: Token[]): Condition {
  const parser = new Parser(tokens);
  const condition = parser.either();
  parser.end();
  return condition;
}

const compare: Record<string, (order: number) => boolean> = {
  "=": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

class Parser {
  readonly #tokens: Token[];
  #at = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  either(): Condition {
    const parts = [this.#all()];
    while (this.#takes("word", "or")) parts.push(this.#all());
    return (fields) => parts.some((part) => part(fields));
  }

  end(): void {
    if (this.#peek()) throw this.#unexpected();
  }

  #all(): Condition {
    const parts = [this.#one()];
    while (this.#takes("word", "and")) parts.push(this.#one());
    return (fields) => parts.every((part) => part(fields));
  }

  #one(): Condition {
    if (this.#takes("word", "not")) {
      const part = this.#one();
      return (fields) => !part(fields);
    }
    if (this.#takes("symbol", "(")) {
      const inner = this.either();
      this.#need("symbol", ")");
      return inner;
    }
    if (this.#takes("word", "ispresent")) {
      this.#need("symbol", "(");
      const field = this.#take("word").text;
      this.#need("symbol", ")");
      return (fields) => fields[field] !== undefined;
    }
    return this.#comparison(this.#take("word").text);
  }

  #comparison(field: string): Condition {
    if (this.#takes("word", "not")) {
      const inner = this.#comparison(field);
      return (fields) => !inner(fields);
    }
    if (this.#takes("word", "like") || this.#takes("symbol", "=~")) {
      const pattern = patternOf(this.#take());
      return (fields) => fields[field] !== undefined && pattern.test(fields[field]);
    }
    if (this.#takes("word", "in")) return isOneOf(field, this.#list());
    const operator = this.#take("symbol").text;
    const test = compare[operator];
    if (!test) throw this.#unexpected();
    const value = this.#take();
    if (value.kind !== "text" && value.kind !== "number") throw this.#unexpected();
    // A field that a line lacks equals nothing, so that only != holds for it.
    return (fields) => (fields[field] === undefined ? operator === "!=" : test(orderOf(fields[field], value)));
  }

  #list(): string[] {
    const values: string[] = [];
    this.#need("symbol", "[");
    do values.push(this.#take().text);
    while (this.#takes("symbol", ","));
    this.#need("symbol", "]");
    return values;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #takes(kind: Token["kind"], text: string): boolean {
    const token = this.#peek();
    const found = token?.kind === kind && token.text.toLowerCase() === text;
    if (found) this.#at += 1;
    return found;
  }

  #take(kind?: Token["kind"]): Token {
    const token = this.#peek();
    if (!token || (kind && token.kind !== kind)) throw this.#unexpected();
    this.#at += 1;
    return token;
  }

  #need(kind: Token["kind"], text: string): void {
    if (!this.#takes(kind, text)) throw this.#unexpected();
  }

  #unexpected(): AwsError {
    const found = this.#peek()?.text;
    return new AwsError(
      "MalformedQueryException",
      `unexpected ${found === undefined ? "end of the query" : `symbol ${found}`}`,
    );
  }
}

function isOneOf(field: string, values: string[]): Condition {
  return (fields) => fields[field] !== undefined && values.includes(fields[field]);
}

/** `like` takes a regular expression, or a text that must be contained with its case. */
function patternOf({ kind, text }: Token): RegExp {
  if (kind === "pattern") {
    const end = text.lastIndexOf("/");
    return new RegExp(text.slice(1, end), text.slice(end + 1));
  }
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
}

/** Numbers are compared as numbers where both are. */
function orderOf(actual: string, { kind, text }: Token): number {
  if (kind === "number" && actual.trim() !== "" && !Number.isNaN(Number(actual))) return Number(actual) - Number(text);
  return actual === text ? 0 : actual < text ? -1 : 1;
}
