// Queries of the table and of its indexes, in the order of their sort keys, page by page. An index is made anew for each: they
// are few, and the tables small.
import type { QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { table } from "../../../adapters/dynamodb/table.ts";
import { condition } from "./condition.ts";
import type { Bindings, Item } from "./tokens.ts";

const tableKey = { partitionKey: table.partitionKey as string, sortKey: table.sortKey as string };
const indexKeys = [table.index, table.activeIndex];

export function query(all: Iterable<Item>, input: QueryCommandInput, bindings: Bindings): object {
  const { IndexName, KeyConditionExpression = "", FilterExpression, Limit, ScanIndexForward = true } = input;
  const key = IndexName === undefined ? tableKey : indexKeys.find(({ name }) => name === IndexName);
  if (!key) throw new Error(`The table in memory has no index ${IndexName}`);
  const { partitionKey, sortKey } = key;
  const isMeant = condition(KeyConditionExpression);
  const found: Item[] = [];
  for (const item of all) {
    const isListed = typeof item[partitionKey] === "string" && typeof item[sortKey] === "string";
    if (isListed && isMeant.holds(item, bindings)) found.push(item);
  }
  const place = (item: Item) => [item[sortKey], item.pk, item.sk].join("\0");
  found.sort((a, b) => (place(a) < place(b) ? -1 : 1) * (ScanIndexForward ? 1 : -1));

  const start = input.ExclusiveStartKey && place(input.ExclusiveStartKey);
  const isAfter = (item: Item) => start === undefined || (ScanIndexForward ? place(item) > start : place(item) < start);
  const rest = found.filter(isAfter);
  const page = Limit === undefined ? rest : rest.slice(0, Limit);
  const last = page.at(-1);
  const passing = FilterExpression === undefined ? undefined : condition(FilterExpression);
  const kept = passing ? page.filter((item) => passing.holds(item, bindings)) : page;
  const names = ["pk", "sk", partitionKey, sortKey];
  const isKeysOnly = IndexName === table.activeIndex.name;
  const Items = isKeysOnly ? kept.map((item) => partOf(item, names)) : kept;
  const isMore = Limit !== undefined && rest.length >= Limit && last !== undefined;
  return {
    Items,
    Count: Items.length,
    ScannedCount: page.length,
    ...(isMore && { LastEvaluatedKey: partOf(last, names) }),
  };
}

function partOf(item: Item, names: string[]): Item {
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}
