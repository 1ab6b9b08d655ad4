// The control plane's rights on the table, as each record declares them (`control`): the control plane serves every noun.
import { type Declared, type RecordKind, type RecordName, records } from "../../adapters/dynamodb/records.ts";
import type { RowOperation } from "../../adapters/dynamodb/table.ts";
import type { TableRights } from "../link.ts";

export function controlRights(declared: Declared = records) {
  const all = Object.entries(declared);
  const namesWith = (right: RowOperation | "index" | "activeIndex") =>
    all.flatMap(([name, { control = [] }]) => (control.includes(right) ? [name as RecordName] : []));
  const kindsWith = (operation: RowOperation) => [
    ...new Set(namesWith(operation).map((name) => declared[name]?.kind as RecordKind)),
  ];
  return {
    get: kindsWith("get"),
    batchGet: kindsWith("batchGet"),
    query: kindsWith("query"),
    put: kindsWith("put"),
    update: kindsWith("update"),
    delete: kindsWith("delete"),
    condition: kindsWith("condition"),
    index: namesWith("index"),
    activeIndex: namesWith("activeIndex"),
  } satisfies TableRights;
}
