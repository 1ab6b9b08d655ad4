// The Resource Groups Tagging API: finds resources by their tags. Only the keys of KMS have tags here.
import * as z from "zod";
import { JsonService, jsonOperation } from "../aws/json-service.ts";

export type TaggedResource = { arn: string; tags: Record<string, string> };

const input = z.strictObject({
  TagFilters: z.array(z.strictObject({ Key: z.string(), Values: z.array(z.string()).max(20).default([]) })).default([]),
  ResourceTypeFilters: z.array(z.literal("kms:key")).default([]),
  ResourcesPerPage: z.int().min(1).max(100).default(50),
  PaginationToken: z.string().default(""),
});

/** The resources of the call's region. */
type TaggingCall = { resources: TaggedResource[] };

const operations = {
  GetResources: jsonOperation(
    "InvalidParameterException",
    input,
    () => [{ action: "tag:GetResources", resource: "*" }],
    ({ TagFilters, ResourcesPerPage, PaginationToken }, { resources }: TaggingCall) => {
      // A filter without values asks for the key alone, and all filters must match.
      const found = resources.filter(({ tags }) =>
        TagFilters.every(({ Key, Values }) => {
          const value = tags[Key];
          return value !== undefined && (Values.length === 0 || Values.includes(value));
        }),
      );
      const start = Number(PaginationToken);
      const page = found.slice(start, start + ResourcesPerPage);
      const next = start + page.length;
      return {
        PaginationToken: next < found.length ? String(next) : "",
        ResourceTagMappingList: page.map(({ arn, tags }) => ({
          ResourceARN: arn,
          Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
        })),
      };
    },
  ),
};

export class ResourceGroupsTagging extends JsonService<TaggingCall> {
  constructor(resources: () => TaggedResource[]) {
    super({
      signingName: "tagging",
      title: "tagging API",
      operations,
      contextOf: (_operation, { region }) => ({
        resources: resources().filter(({ arn }) => arn.split(":")[3] === region),
      }),
    });
  }
}
