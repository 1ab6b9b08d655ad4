// The operations on tags, of all resources that have some.
import * as z from "zod";
import { type AgentCoreCall, type AgentCoreOperation, operation, requestTags, right } from "./operation.ts";
import { invalid, notFound } from "./refusals.ts";

const one = { resourceArn: z.string().startsWith("arn:aws:bedrock-agentcore:") };
const maxTags = 50;

type Tags = Record<string, string>;

export const tagOperations: Record<string, AgentCoreOperation> = {
  TagResource: operation(
    "POST /tags/{resourceArn}",
    204,
    z.strictObject({ ...one, tags: z.record(z.string().min(1).max(128), z.string().max(256)) }),
    ({ resourceArn, tags }, call) => {
      const needed = right(call, resourceArn, tagged(call, resourceArn)?.tags);
      return [{ ...needed, context: { ...needed.context, ...requestTags(tags) } }];
    },
    ({ resourceArn, tags }, call) => {
      change(call, resourceArn, (current) => ({ ...current, ...tags }));
    },
  ),

  UntagResource: operation(
    "DELETE /tags/{resourceArn}",
    204,
    z.strictObject({ ...one, tagKeys: z.union([z.array(z.string()), z.string().transform((key) => [key])]) }),
    ({ resourceArn, tagKeys }, call) => {
      const needed = right(call, resourceArn, tagged(call, resourceArn)?.tags);
      return [{ ...needed, context: { ...needed.context, "aws:TagKeys": tagKeys } }];
    },
    ({ resourceArn, tagKeys }, call) => {
      change(call, resourceArn, (current) =>
        Object.fromEntries(Object.entries(current).filter(([key]) => !tagKeys.includes(key))),
      );
    },
  ),

  ListTagsForResource: operation(
    "GET /tags/{resourceArn}",
    200,
    z.strictObject(one),
    ({ resourceArn }, call) => [right(call, resourceArn, tagged(call, resourceArn)?.tags)],
    ({ resourceArn }, call) => ({ tags: found(call, resourceArn).tags }),
  ),
};

type Tagged = { tags: Tags; save(tags: Tags): unknown };

function tagged({ gateways, providers, runtimes }: AgentCoreCall, arn: string): Tagged | undefined {
  const id = arn.slice(arn.lastIndexOf("/") + 1);
  const gateway = gateways.find(id);
  if (gateway?.arn === arn) return { tags: gateway.tags, save: (tags) => gateways.save({ ...gateway, tags }) };
  const runtime = runtimes.find(id);
  if (runtime?.arn === arn) return { tags: runtime.tags, save: (tags) => runtimes.save({ ...runtime, tags }) };
  const provider = providers.byArn(arn);
  return provider && { tags: provider.tags, save: (tags) => providers.save({ ...provider, tags }) };
}

function found(call: AgentCoreCall, arn: string): Tagged {
  const resource = tagged(call, arn);
  if (!resource) throw notFound(`Resource ${arn} was not found`);
  return resource;
}

function change(call: AgentCoreCall, arn: string, to: (tags: Tags) => Tags): void {
  const resource = found(call, arn);
  const tags = to(resource.tags);
  if (Object.keys(tags).length > maxTags) throw invalid(`tags: a resource has ${maxTags} tags at most`);
  resource.save(tags);
}
