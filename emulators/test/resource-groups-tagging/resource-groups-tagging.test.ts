import { GetResourcesCommand, ResourceGroupsTaggingAPIClient } from "@aws-sdk/client-resource-groups-tagging-api";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ResourceGroupsTagging } from "../../resource-groups-tagging/resource-groups-tagging.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../support/declared-iam.ts";

const arnOf = (id: string, region = "eu-central-1") => `arn:aws:kms:${region}:000000000000:key/${id}`;
const keys = [
  { arn: arnOf("a"), tags: { stack: "dev", tenant: "t1" } },
  { arn: arnOf("b"), tags: { stack: "dev" } },
  { arn: arnOf("c"), tags: {} },
  { arn: arnOf("d", "us-east-1"), tags: { stack: "dev", tenant: "t1" } },
];

let endpoint: RunningEndpoint;
beforeEach(async () => {
  endpoint = await startEndpoint({
    resources: resources(aRole("reader", [allow("tag:GetResources", "*")]), aRole("nobody", [allow("kms:*", "*")])),
    services: () => [new ResourceGroupsTagging(() => keys)],
  });
});
afterEach(() => endpoint.close());

async function find(input: object, role = "reader") {
  const client = new ResourceGroupsTaggingAPIClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal(role))));
  try {
    return await client.send(new GetResourcesCommand(input));
  } finally {
    client.destroy();
  }
}
const arns = ({ ResourceTagMappingList = [] }: Awaited<ReturnType<typeof find>>) =>
  ResourceTagMappingList.map(({ ResourceARN }) => ResourceARN);

test.each([
  ["a tag's value", [{ Key: "stack", Values: ["dev"] }], ["a", "b"]],
  ["a tag of any value", [{ Key: "tenant" }], ["a"]],
  [
    "all of several tags",
    [
      { Key: "stack", Values: ["dev"] },
      { Key: "tenant", Values: ["t1", "t2"] },
    ],
    ["a"],
  ],
  ["a tag that nothing has", [{ Key: "other" }], []],
  ["no tag", [], ["a", "b", "c"]],
])("resources of the region are found by %s", async (_what, TagFilters, found) => {
  expect(arns(await find({ TagFilters, ResourceTypeFilters: ["kms:key"] }))).toEqual(found.map((id) => arnOf(id)));
});

test("found resources are returned with their tags, in pages", async () => {
  const first = await find({ ResourcesPerPage: 2 });
  expect(first.ResourceTagMappingList?.[0]?.Tags).toEqual([
    { Key: "stack", Value: "dev" },
    { Key: "tenant", Value: "t1" },
  ]);
  const second = await find({ ResourcesPerPage: 2, PaginationToken: first.PaginationToken });
  expect([arns(second), second.PaginationToken]).toEqual([[arnOf("c")], ""]);
});

test("a caller without the right to list tags is denied", async () => {
  await expect(find({}, "nobody")).rejects.toMatchObject({ name: "AccessDeniedException" });
});
