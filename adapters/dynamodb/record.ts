// A record of the table, declared once. What its declaration says is all that rights, purge, times to live and docs/storage.md know of it.
import type * as z from "zod";
import { expiresAt, type Retention } from "../../domain/kernel/retention.ts";
import { KeyPattern, type Values } from "./key-pattern.ts";
import type { Key, RowOperation } from "./table.ts";
import type { Item } from "./write.ts";

/** The listing of a record in an index. */
export type Listing = {
  pk: string;
  sk: string;
  /** The condition under which a row is listed, if not every row is: `while it needs a run`. */
  rows?: string;
};

/**
 * The purge of a record: with whom its rows go, and how they are found. `key`: the key's values are known. `partition`: all rows of the
 * partition go. `index`, `activeIndex`: the rows are listed there. `through`: another record's rows have the values, so these rows go
 * before that one's. `transaction`: the rows go at the very end, together with the audit entry.
 */
export type Purge =
  | { with: "workspace"; by: "key" | "partition"; through?: string; isLast?: true }
  | { with: "workspace"; by: "index" | "activeIndex" | "transaction" }
  /** With the account of a person who is gone, and the workspace alone takes what is its own of the row. */
  | { with: "person"; by: "key" | "partition" }
  | { with: "owner"; by: "key" }
  /** The rows stay; the text says why, or by what else they go. */
  | { stays: string };

export type Declaration = {
  /** The kind of record, to which functions have rights. Records of one kind begin alike, since IAM sees the partition key alone. */
  kind: string;
  /** The record's name in docs/storage.md. */
  title: string;
  pk: string;
  sk: string;
  index?: Listing;
  activeIndex?: Listing;
  /** The row without its keys and without `expires_at`. */
  schema: z.ZodType;
  /** The version of what is stored. Rows do not say theirs as long as it is 1. */
  version: number;
  /** How long a row is kept: a retention, from the time that the store gives to `expiresAt`, or until something deletes the row. */
  life: Retention | string;
  purge: Purge;
  /**
   * The control plane's rights on the record: operations on its rows, and queries of the index that lists them. Each other function names its rights
   * itself (components/).
   */
  control?: readonly (RowOperation | "index" | "activeIndex")[];
  /** When a row is written, and by which function. */
  written: string;
};

type SortedIn<D, I extends "index" | "activeIndex"> = D extends { [N in I]: infer L extends Listing } ? L : never;

/** A declared record. Only the values of a pattern are arguments of what makes a key by it. */
export type StoredRecord<D extends Declaration = Declaration> = Readonly<D> & {
  /** The beginning of the partition key, which all records of the kind share. */
  readonly prefix: string;
  readonly patterns: Readonly<Record<"pk" | "sk", KeyPattern>> &
    Readonly<Partial<Record<"index" | "activeIndex", Readonly<Record<"pk" | "sk", KeyPattern>>>>>;
  key(values: Values<D["pk"]> & Values<D["sk"]>): Key;
  /** The rows of a partition whose sort key begins with the values given. */
  range(values: Values<D["pk"]> & Partial<Values<D["sk"]>>): { pk: string; prefix?: string };
  /** The values in a row's own key; undefined if the row is of another record. */
  valuesOf(item: Item): (Values<D["pk"]> & Values<D["sk"]>) | undefined;
  indexKey(values: ListingValues<SortedIn<D, "index">>): { gsi1_pk: string; gsi1_sk: string };
  activeIndexKey(values: ListingValues<SortedIn<D, "activeIndex">>): { gsi2_pk: string; gsi2_sk: string };
  /** The rows that an index lists, as `range`. */
  indexRange(values: ListedValues<SortedIn<D, "index">>): { pk: string; prefix?: string; by: "index" };
  activeIndexRange(values: ListedValues<SortedIn<D, "activeIndex">>): {
    pk: string;
    prefix?: string;
    by: "activeIndex";
  };
  /** The row as its schema says it. @throws an error that names the fields, and no value, if the row is otherwise */
  parse(item: Item): z.output<D["schema"]>;
  parse(item: Item | undefined): z.output<D["schema"]> | undefined;
  /** The second from which a row may be deleted. @param since the time that its life counts from, in milliseconds */
  expiresAt(since: number): number;
};

type ListingValues<L extends Listing> = Values<L["pk"]> & Values<L["sk"]>;
type ListedValues<L extends Listing> = Values<L["pk"]> & Partial<Values<L["sk"]>>;

/**
 * How many rows are read before zod compiles the record's schema: that takes 2 to 3 ms, which a function's first calls need not wait for, and saves
 * 5 to 10 us a row (measured; docs/decisions/0096-one-record-one-declaration.md).
 */
const interpreted = 100;

export function defineRecord<const D extends Declaration>(declared: D): StoredRecord<D> {
  const { schema, life, title } = declared;
  let parsed = 0;
  const own = patternsOf(declared);
  const index = declared.index && patternsOf(declared.index);
  const activeIndex = declared.activeIndex && patternsOf(declared.activeIndex);
  const record: StoredRecord = {
    ...declared,
    prefix: own.pk.prefix,
    patterns: { ...own, ...(index && { index }), ...(activeIndex && { activeIndex }) },
    key: (values) => ({ pk: own.pk.text(values), sk: own.sk.text(values) }),
    range: (values) => rangeOf(own, values),
    valuesOf(item) {
      const [ofPk, ofSk] = [own.pk.values(item.pk), own.sk.values(item.sk)];
      return ofPk && ofSk && { ...ofSk, ...ofPk };
    },
    indexKey: (values) => ({ gsi1_pk: listed(index).pk.text(values), gsi1_sk: listed(index).sk.text(values) }),
    activeIndexKey: (values) => ({
      gsi2_pk: listed(activeIndex).pk.text(values),
      gsi2_sk: listed(activeIndex).sk.text(values),
    }),
    indexRange: (values) => ({ ...rangeOf(listed(index), values), by: "index" }),
    activeIndexRange: (values) => ({ ...rangeOf(listed(activeIndex), values), by: "activeIndex" }),
    // biome-ignore lint/suspicious/noExplicitAny: the overloads say what comes out
    parse(item: Item | undefined): any {
      if (!item) return undefined;
      const { pk, sk, gsi1_pk, gsi1_sk, gsi2_pk, gsi2_sk, expires_at, ...row } = item;
      const read = schema.safeParse(row, { jitless: parsed++ < interpreted });
      if (read.success) return read.data;
      const fields = new Set(read.error.issues.map(({ path }) => path.join(".")));
      throw new Error(`a row of "${title}" is not as it is declared: ${[...fields].join(", ")}`);
    },
    expiresAt(since) {
      if (typeof life === "string") throw new Error(`"${title}" has no time to live`);
      return expiresAt(life, since);
    },
  };
  return record as unknown as StoredRecord<D>;
}

type Patterns = Record<"pk" | "sk", KeyPattern>;

const patternsOf = ({ pk, sk }: { pk: string; sk: string }): Patterns => ({
  pk: new KeyPattern(pk),
  sk: new KeyPattern(sk),
});

function rangeOf({ pk, sk }: Patterns, values: Record<string, string>) {
  const prefix = sk.beginning(values);
  return { pk: pk.text(values), ...(prefix !== "" && { prefix }) };
}

function listed(patterns: Patterns | undefined): Patterns {
  if (!patterns) throw new Error("the record is not listed there");
  return patterns;
}

/** One field of both types, without what tells a field that may be absent from one that may be undefined: the table stores neither. */
type Plain<T> = T extends readonly (infer E)[]
  ? readonly Plain<E>[]
  : T extends ReadonlySet<unknown> | ReadonlyMap<unknown, unknown>
    ? T
    : T extends object
      ? {
          -readonly [K in keyof T]-?:
            | Plain<Exclude<T[K], undefined>>
            | (Record<never, never> extends Pick<T, K> ? undefined : Extract<T[K], undefined>);
        }
      : T;
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Differing<A, B> = {
  [K in keyof A | keyof B]: IsSame<Pick<A, K & keyof A>, Pick<B, K & keyof B>> extends true ? never : K;
}[keyof A | keyof B];

/** The schema of a type of the domain. It does not compile while a field is in one of both alone, or has two types. */
export function schemaOf<T>() {
  return <S extends z.ZodType>(
    schema: S &
      (IsSame<Plain<z.output<S>>, Plain<T>> extends true
        ? unknown
        : { differs: Differing<Plain<z.output<S>>, Plain<T>> }),
  ): z.ZodType<T> => schema as unknown as z.ZodType<T>;
}
