// The order in which a purge removes rows, and the rights that it needs for that, as the records declare them.
import type { Purge, StoredRecord } from "./record.ts";
import type { Declared } from "./records.ts";

type Going = Extract<Purge, { with: string }>;
type With = Going["with"];
export type Removal<P extends Going = Going> = { name: string; record: StoredRecord; purge: P };

/** The removals of a workspace, a person or an owner, in their order: records that are found through other rows come before those rows, and the one that is declared as the last comes last. */
export function removals<W extends With>(declared: Declared, whom: W): Removal<Extract<Going, { with: W }>>[] {
  const found = Object.entries(declared).flatMap(([name, record]) => {
    const { purge } = record;
    if (!("with" in purge) || purge.with !== whom) return [];
    return [{ name, record, purge: purge as Extract<Going, { with: W }>, place: placeOf(declared, record) }];
  });
  return found.toSorted((one, other) => one.place - other.place);
}

/** The record through whose rows these are found. */
export function throughOf(declared: Declared, { title, purge }: StoredRecord): StoredRecord | undefined {
  if (!("through" in purge) || purge.through === undefined) return undefined;
  const through = declared[purge.through];
  if (!through) throw new Error(`"${title}" is found through "${purge.through}", which is no record`);
  return through;
}

function placeOf(declared: Declared, record: StoredRecord): number {
  const { purge } = record;
  if ("by" in purge && purge.by === "transaction") return 2;
  if ("isLast" in purge && purge.isLast) return 1;
  const through = throughOf(declared, record);
  return through ? placeOf(declared, through) - 1 : 0;
}

/** The rights of the purge of workspaces and of people who go with them. */
export function purgeRights(declared: Declared) {
  const gone: Removal[] = [...removals(declared, "workspace"), ...removals(declared, "person")];
  const by = (way: string) => gone.filter(({ purge }) => purge.by === way);
  const kinds = (some: readonly Removal[]) => [...new Set(some.map(({ record }) => record.kind))];
  return {
    query: kinds(by("partition")),
    delete: kinds(gone),
    index: by("index").map(({ name }) => name),
    activeIndex: by("activeIndex").map(({ name }) => name),
  };
}

/** The kinds of records that go with an owner. */
export function ownerKinds(declared: Declared): string[] {
  return [...new Set(removals(declared, "owner").map(({ record }) => record.kind))];
}
