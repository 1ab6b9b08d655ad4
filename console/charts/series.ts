// Rows of usage as series of a chart: the largest keep their names, the others become one.

export type UsageRow = {
  at: string;
  /** The thing that the series shows: a model, a caller, a kind of token. */
  entity: string;
  value: number;
};

export type Series = { entity: string; total: number; values: number[] };

export const others = "Other";

/** Makes series with one value for each column, empty ones included. At most `most` series; the last is `Other`, with the rest. */
export function series(rows: readonly UsageRow[], columns: readonly string[], most = 6): Series[] {
  const position = new Map(columns.map((column, at) => [column, at]));
  const byEntity = new Map<string, number[]>();
  for (const { at, entity, value } of rows) {
    const column = position.get(at);
    if (column === undefined) continue;
    const values = byEntity.get(entity) ?? columns.map(() => 0);
    values[column] = (values[column] ?? 0) + value;
    byEntity.set(entity, values);
  }
  const all = [...byEntity]
    .map(([entity, values]) => ({ entity, values, total: values.reduce((sum, value) => sum + value, 0) }))
    .sort((a, b) => b.total - a.total || (a.entity < b.entity ? -1 : 1));
  if (all.length <= most) return all;
  const rest = all.slice(most);
  const values = columns.map((_, at) => rest.reduce((sum, one) => sum + (one.values[at] ?? 0), 0));
  return [...all.slice(0, most), { entity: others, values, total: values.reduce((sum, value) => sum + value, 0) }];
}

/** A colour's number belongs to the entity, by its place among all known ones, never to its rank. */
export function colourOf(entity: string, known: readonly string[]): number {
  if (entity === others) return 0;
  const at = [...known].sort().indexOf(entity);
  return (Math.max(at, 0) % 8) + 1;
}
