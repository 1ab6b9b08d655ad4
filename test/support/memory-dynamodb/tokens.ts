// The words of DynamoDB's expressions, and the paths in them. An expression is read once and then played with each request's
// own names and values.

/** What a request gives an expression. */
export type Bindings = { names: Record<string, string>; values: Record<string, unknown> };
export type Item = Record<string, unknown>;

/** What an expression refers to: a request must bring all of it and nothing else. */
export type Mentioned = { names: Set<string>; values: Set<string> };

const word = /\s*(<=|>=|<>|[=<>(),.+-]|[#:]?[A-Za-z_][A-Za-z0-9_]*)/y;
const name = /^#?[A-Za-z_]/;

export class Tokens {
  readonly mentioned: Mentioned = { names: new Set(), values: new Set() };
  readonly #words: string[] = [];
  readonly #expression: string;
  #at = 0;

  constructor(expression: string) {
    this.#expression = expression;
    const text = expression.trimEnd();
    for (let at = 0; at < text.length; at = word.lastIndex) {
      word.lastIndex = at;
      const found = word.exec(text)?.[1];
      if (found === undefined) throw new SyntaxError(`${expression} cannot be read at ${text.slice(at)}`);
      this.#words.push(found);
    }
  }

  get isAtEnd(): boolean {
    return this.#at === this.#words.length;
  }

  get next(): string | undefined {
    return this.#words[this.#at];
  }

  take(): string {
    const taken = this.#words[this.#at++];
    if (taken === undefined) throw new SyntaxError(`${this.#expression} ends too early`);
    return taken;
  }

  /** Keywords in any case. */
  nextIs(expected: string): boolean {
    return this.next?.toUpperCase() === expected.toUpperCase();
  }

  takeIf(expected: string): boolean {
    const isNext = this.nextIs(expected);
    if (isNext) this.#at++;
    return isNext;
  }

  expect(expected: string): void {
    if (!this.takeIf(expected)) throw new SyntaxError(`${this.#expression} has ${this.next}, not ${expected}`);
  }

  takePath(): Path {
    const steps = [this.#step()];
    while (this.takeIf(".")) steps.push(this.#step());
    return new Path(steps);
  }

  takeValue(): string {
    const value = this.take();
    if (!value.startsWith(":")) throw new SyntaxError(`${this.#expression} has ${value} in a value's place`);
    this.mentioned.values.add(value);
    return value;
  }

  #step(): string {
    const step = this.take();
    if (!name.test(step)) throw new SyntaxError(`${this.#expression} has ${step} in a name's place`);
    if (step.startsWith("#")) this.mentioned.names.add(step);
    return step;
  }
}

/** Where an attribute is, in maps too. Lists are in no expression of this project. */
export class Path {
  readonly #steps: string[];

  constructor(steps: string[]) {
    this.#steps = steps;
  }

  in({ names }: Bindings): string[] {
    return this.#steps.map((step) => (step.startsWith("#") ? (names[step] ?? step) : step));
  }

  read(item: Item | undefined, bindings: Bindings): unknown {
    let found: unknown = item;
    for (const step of this.in(bindings)) {
      if (typeof found !== "object" || found === null || !Object.hasOwn(found, step)) return undefined;
      found = (found as Item)[step];
    }
    return found;
  }
}

/** Keeps what was made of each expression. */
export function readOnce<T>(read: (expression: string) => T): (expression: string) => T {
  const known = new Map<string, T>();
  return (expression) => {
    let made = known.get(expression);
    if (made === undefined) {
      made = read(expression);
      known.set(expression, made);
    }
    return made;
  };
}
