// Update expressions, as far as this project has any: SET with sums and if_not_exists, REMOVE, ADD to numbers and sets, and DELETE from sets. All
// that is read is the item as it stood before.
import { type Bindings, type Item, type Mentioned, type Path, readOnce, Tokens } from "./tokens.ts";

/** The item afterwards; the one before stays as it is. @throws InvalidUpdate */
export type Change = (before: Item, bindings: Bindings) => Item;

export type Update = {
  change: Change;
  /** Two of its effects are on the same attribute: refused before any condition. */
  overlaps: (bindings: Bindings) => boolean;
  mentioned: Mentioned;
};

/** What DynamoDB answers with a ValidationException only once it sees the item. */
export class InvalidUpdate extends Error {}

type Effect = { path: Path; apply: (next: Item, before: Item, bindings: Bindings) => void };
type Value = (before: Item, bindings: Bindings) => unknown;

const clauses: Record<string, (tokens: Tokens) => Effect> = {
  SET: setting,
  REMOVE: removal,
  ADD: addition,
  DELETE: deletion,
};

export const update = readOnce((expression: string): Update => {
  const tokens = new Tokens(expression);
  const effects: Effect[] = [];
  while (!tokens.isAtEnd) {
    const clause = clauses[tokens.take().toUpperCase()];
    if (!clause) throw new SyntaxError(`${expression} has another clause than SET, REMOVE, ADD and DELETE`);
    do effects.push(clause(tokens));
    while (tokens.takeIf(","));
  }
  const change: Change = (before, bindings) => {
    const next = { ...before };
    for (const { apply } of effects) apply(next, before, bindings);
    return next;
  };
  const paths = effects.map(({ path }) => path);
  return { change, overlaps: (bindings) => doOverlap(paths, bindings), mentioned: tokens.mentioned };
});

function setting(tokens: Tokens): Effect {
  const path = tokens.takePath();
  tokens.expect("=");
  const first = term(tokens);
  const sign = tokens.takeIf("+") ? 1 : tokens.takeIf("-") ? -1 : 0;
  const second = sign === 0 ? undefined : term(tokens);
  return {
    path,
    apply(next, before, bindings) {
      const value = first(before, bindings);
      put(next, path.in(bindings), second ? number(value) + sign * number(second(before, bindings)) : copied(value));
    },
  };
}

function term(tokens: Tokens): Value {
  if (tokens.next?.startsWith(":")) {
    const value = tokens.takeValue();
    return (_before, { values }) => values[value];
  }
  if (tokens.takeIf("if_not_exists")) {
    tokens.expect("(");
    const path = tokens.takePath();
    tokens.expect(",");
    const otherwise = term(tokens);
    tokens.expect(")");
    return (before, bindings) => path.read(before, bindings) ?? otherwise(before, bindings);
  }
  const path = tokens.takePath();
  return (before, bindings) => {
    const value = path.read(before, bindings);
    if (value === undefined) throw new InvalidUpdate("The expression refers to an attribute that is not there");
    return value;
  };
}

function removal(tokens: Tokens): Effect {
  const path = tokens.takePath();
  return {
    path,
    apply(next, _before, bindings) {
      const steps = path.in(bindings);
      delete mapAround(next, steps)[steps.at(-1) as string];
    },
  };
}

function addition(tokens: Tokens): Effect {
  const path = tokens.takePath();
  const value = tokens.takeValue();
  return {
    path,
    apply(next, before, bindings) {
      const [there, added] = [path.read(before, bindings), bindings.values[value]];
      const sum = added instanceof Set ? new Set([...set(there), ...added]) : number(there ?? 0) + number(added);
      put(next, path.in(bindings), sum);
    },
  };
}

/** A set without elements does not exist. */
function deletion(tokens: Tokens): Effect {
  const path = tokens.takePath();
  const value = tokens.takeValue();
  return {
    path,
    apply(next, before, bindings) {
      const taken = set(bindings.values[value]);
      const left = new Set([...set(path.read(before, bindings))].filter((each) => !taken.has(each)));
      const steps = path.in(bindings);
      if (left.size > 0) put(next, steps, left);
      else delete mapAround(next, steps)[steps.at(-1) as string];
    },
  };
}

function set(value: unknown = new Set()): Set<unknown> {
  if (!(value instanceof Set)) throw new InvalidUpdate("An operand is no set");
  return value;
}

function put(next: Item, steps: string[], value: unknown): void {
  mapAround(next, steps)[steps.at(-1) as string] = value;
}

/** The map that has the path's last step, as a copy: others have the old one in their hands. */
function mapAround(next: Item, steps: string[]): Item {
  let map = next;
  for (const step of steps.slice(0, -1)) {
    const inner = map[step];
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) {
      throw new InvalidUpdate("The document path is not in the item");
    }
    const copy = { ...inner };
    map[step] = copy;
    map = copy;
  }
  return map;
}

function number(value: unknown): number {
  if (typeof value !== "number") throw new InvalidUpdate("An operand is no number");
  return value;
}

/** As the document client sends it: without what is undefined. */
export function copied<T>(value: T): T {
  if (typeof value !== "object" || value === null || value instanceof Set) return value;
  if (Array.isArray(value)) return value.map(copied) as T;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name, copied(each)])) as T;
}

function doOverlap(paths: Path[], bindings: Bindings): boolean {
  const all = paths.map((path) => path.in(bindings));
  return all.some((one, index) =>
    all.slice(0, index).some((other) => {
      const common = Math.min(one.length, other.length);
      return one.slice(0, common).every((step, at) => step === other[at]);
    }),
  );
}
