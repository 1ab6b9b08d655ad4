// How many calls to the store something makes.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

export async function countedCalls(document: DynamoDBDocumentClient, work: () => Promise<unknown>): Promise<number> {
  let calls = 0;
  const count = (next: (input: never) => unknown) => (input: never) => {
    calls += 1;
    return next(input);
  };
  document.middlewareStack.add(count as never, { step: "initialize", name: "count" });
  await work().finally(() => document.middlewareStack.remove("count"));
  return calls;
}
