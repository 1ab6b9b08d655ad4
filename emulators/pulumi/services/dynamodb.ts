// DynamoDB: the table, and the items in it that the program declares.
import type { Descriptor } from "../descriptor.ts";
import { named } from "../names.ts";

export const table: Descriptor = {
  type: "aws:dynamodb/table:Table",
  compute: named("dynamodb", "table/"),
  inputs: "service",
};

/** The id of an item is the table's name and the resource's name, with `|` between. */
export const tableItem: Descriptor = {
  type: "aws:dynamodb/tableItem:TableItem",
  compute: (name, inputs) => ({ id: `${inputs.tableName}|${name}`, outputs: {} }),
  inputs: { served: "tableName item", noEffect: "hashKey rangeKey" },
};

export const dynamoDb = [table, tableItem];
