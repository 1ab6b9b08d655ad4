// The Resource Groups Tagging API: finds resources by their tags. Only the keys of KMS have tags here.
import * as z from "zod";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonAnswer,
  jsonFailure,
  targetOperation,
} from "../aws/service.ts";

export type TaggedResource = { arn: string; tags: Record<string, string> };

const input = z.strictObject({
  TagFilters: z.array(z.strictObject({ Key: z.string(), Values: z.array(z.string()).max(20).default([]) })).default([]),
  ResourceTypeFilters: z.array(z.literal("kms:key")).default([]),
  ResourcesPerPage: z.int().min(1).max(100).default(50),
  PaginationToken: z.string().default(""),
});

export class ResourceGroupsTagging implements AwsService {
  readonly signingName = "tagging";
  readonly #resources: () => TaggedResource[];

  constructor(resources: () => TaggedResource[]) {
    this.#resources = resources;
  }

  operation(request: AwsRequest): string {
    const name = targetOperation(request);
    if (name === "GetResources") return name;
    throw new AwsError("UnknownOperationException", `The local stack's tagging API does not know ${name}`);
  }

  authorizations(): Authorization[] {
    return [{ action: "tag:GetResources", resource: "*" }];
  }

  /** In the region of the call. A filter without values asks for the key alone; all filters must fit. */
  async handle(_operation: string, { body, region }: AwsRequest): Promise<AwsResponse> {
    const parsed = input.safeParse(JSON.parse(body.toString("utf8") || "{}"));
    if (!parsed.success) throw new AwsError("InvalidParameterException", parsed.error.message);
    const { TagFilters, ResourcesPerPage, PaginationToken } = parsed.data;
    const fits = ({ tags }: TaggedResource) =>
      TagFilters.every(({ Key, Values }) => {
        const value = tags[Key];
        return value !== undefined && (Values.length === 0 || Values.includes(value));
      });
    const found = this.#resources().filter((one) => one.arn.split(":")[3] === region && fits(one));
    const start = Number(PaginationToken);
    const page = found.slice(start, start + ResourcesPerPage);
    const next = start + page.length;
    const answer = {
      PaginationToken: next < found.length ? String(next) : "",
      ResourceTagMappingList: page.map(({ arn, tags }) => ({
        ResourceARN: arn,
        Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
      })),
    };
    return jsonAnswer(answer, "1.1");
  }

  failure(error: AwsError): AwsResponse {
    return jsonFailure(error, "1.1");
  }
}
