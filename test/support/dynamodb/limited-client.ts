// A document client with the control plane's rights on the table, so that a right that a record does not declare fails the test of the noun.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type Declared, records } from "../../../adapters/dynamodb/records.ts";
import { type RowOperation, table } from "../../../adapters/dynamodb/table.ts";

type Right = RowOperation | "index" | "activeIndex";
type Use = { right: Right; pk: string };
type Row = { Key?: { pk: string }; Item?: { pk: string } };
type Input = Row & {
  IndexName?: string;
  ExpressionAttributeValues?: Record<string, string>;
  RequestItems?: Record<string, { Keys: { pk: string }[] }>;
  TransactItems?: Record<string, Row>[];
};

const operations: Record<string, RowOperation> = {
  Get: "get",
  Put: "put",
  Update: "update",
  Delete: "delete",
  ConditionCheck: "condition",
};

/** @param denied is told of each refused call, since the control plane's answer does not name the right */
export function limitedClient(
  document: DynamoDBDocumentClient,
  denied: (words: string) => void,
  declared: Declared = records,
): DynamoDBDocumentClient {
  const isAllowed = ({ right, pk }: Use) =>
    Object.values(declared).some(({ control = [], prefix, patterns }) => {
      const begins = right === "index" || right === "activeIndex" ? patterns[right]?.pk.prefix : prefix;
      return control.includes(right) && begins !== undefined && pk.startsWith(begins);
    });
  const send = async (command: { constructor: { name: string }; input: Input }) => {
    for (const use of usesOf(command.constructor.name.replace(/Command$/, ""), command.input)) {
      if (isAllowed(use)) continue;
      const words = `the control plane has no right "${use.right}" on ${use.pk}: name it in \`control\` of its record (adapters/dynamodb/*/*.record.ts)`;
      denied(words);
      throw new Error(words);
    }
    return document.send(command as never);
  };
  return { send } as unknown as DynamoDBDocumentClient;
}

function usesOf(command: string, input: Input): Use[] {
  if (command === "TransactWrite") {
    return (input.TransactItems ?? []).flatMap((item) =>
      Object.entries(item).map(([kind, row]) => ({ right: operationOf(kind), pk: keyOf(row) })),
    );
  }
  if (command === "BatchGet") {
    const keys = Object.values(input.RequestItems ?? {}).flatMap(({ Keys }) => Keys);
    return keys.map(({ pk }) => ({ right: "batchGet", pk }));
  }
  if (command === "Query") {
    const by = (["index", "activeIndex"] as const).find((index) => table[index].name === input.IndexName);
    return [{ right: by ?? "query", pk: input.ExpressionAttributeValues?.[":pk"] ?? "" }];
  }
  return [{ right: operationOf(command), pk: keyOf(input) }];
}

function operationOf(command: string): RowOperation {
  const operation = operations[command];
  if (!operation) throw new Error(`no right is known for ${command}`);
  return operation;
}

const keyOf = ({ Key, Item }: Row) => (Key ?? Item)?.pk ?? "";
