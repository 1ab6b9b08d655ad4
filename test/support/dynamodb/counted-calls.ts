// Counts the calls to the store that a piece of work makes, and names them.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** The commands' names in their order, e.g. `GetItemCommand`. */
export async function namedCalls(document: DynamoDBDocumentClient, work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const note =
    (next: (input: never) => unknown, { commandName = "" }: { commandName?: string }) =>
    (input: never) => {
      calls.push(commandName);
      return next(input);
    };
  document.middlewareStack.add(note as never, { step: "initialize", name: "count" });
  await work().finally(() => document.middlewareStack.remove("count"));
  return calls;
}

export async function countedCalls(document: DynamoDBDocumentClient, work: () => Promise<unknown>): Promise<number> {
  return (await namedCalls(document, work)).length;
}
