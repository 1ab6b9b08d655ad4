import { expect, test } from "@jest/globals";
import { probed } from "../../../adapters/upstream/probed-tool.ts";

const tool = { name: "feed", description: "Feeds a pet", inputSchema: { type: "object" } };

test.each([
  ["title", { title: "Feed" }],
  ["description", { description: "Feeds all pets" }],
  ["input schema", { inputSchema: { type: "object", required: ["pet"] } }],
  ["output schema", { outputSchema: { type: "object" } }],
  ["hint that it destroys", { annotations: { destructiveHint: true } }],
  ["icon", { icons: [{ src: "https://pets.example/feed.png" }] }],
  ["metadata", { _meta: { cost: 1 } }],
])("a tool with another %s is another tool", (_, change) => {
  expect(probed(tool).digest).not.toBe(probed({ ...tool, ...change }).digest);
});

test("a tool that is listed again is the same tool", () => {
  expect(probed(structuredClone(tool))).toEqual(probed(tool));
});
