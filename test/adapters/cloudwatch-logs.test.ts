import type { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { CloudWatchLogsClient as Client } from "@aws-sdk/client-cloudwatch-logs";
import { expect, test } from "@jest/globals";
import { logLines } from "../../adapters/cloudwatch-logs.ts";

/** Answers with a page at a time. */
function clientOf(pages: { message?: string }[][]) {
  const calls: FilterLogEventsCommand["input"][] = [];
  const client = Object.assign(Object.create(Client.prototype), {
    send: async ({ input }: FilterLogEventsCommand) => {
      const index = Number(input.nextToken ?? 0);
      calls.push({ ...input });
      return { events: pages[index], ...(index + 1 < pages.length && { nextToken: String(index + 1) }) };
    },
  }) as CloudWatchLogsClient;
  return { client, calls };
}

async function linesOf(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

test("lines that hold a phrase are read from a time on, page after page, empty pages included", async () => {
  const { client, calls } = clientOf([[{ message: "a" }], [], [{ message: "b" }, {}, { message: "c" }]]);
  expect(await linesOf(logLines("group", client)("A request could not be settled", 123))).toEqual(["a", "b", "c"]);
  expect(calls).toHaveLength(3);
  expect(calls[0]).toMatchObject({
    logGroupName: "group",
    filterPattern: '"A request could not be settled"',
    startTime: 123,
  });
});

test("a log without such lines gives none", async () => {
  expect(await linesOf(logLines("group", clientOf([[]]).client)("x", 0))).toEqual([]);
});
