import { expect, test } from "@jest/globals";
import * as pulumi from "@pulumi/pulumi";
import { policyDocument } from "../../components/link.ts";
import { modelRights } from "../../components/model-rights.ts";
import { regions } from "../../domain/access/region.ts";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";

type PolicyStatement = { Action: string[]; Resource: string[]; Condition?: object };

const account = "000000000000";
const catalog = parseCatalog(catalogData);

const document = await new Promise<string>((resolve) => policyDocument(modelRights(account, catalog)).apply(resolve));
const statements: PolicyStatement[] = JSON.parse(document).Statement;

test("the policy is within IAM's 10,240 characters for the inline policies of a role", () => {
  expect(document.length).toBeLessThanOrEqual(10_240);
});

test("exactly the catalog's inference profiles may be called, in the platform's regions only", () => {
  const [calls] = statementsOn("inference-profile");
  const ids = new Set(catalog.models.flatMap((model) => Object.values(model.profiles).flat()));
  const bases = new Set(catalog.models.map((model) => model.base_id));
  const prefix = `arn:aws:bedrock:*:${account}:inference-profile/`;
  expect(calls?.Resource.toSorted()).toEqual(
    [...ids]
      .filter((id) => !bases.has(id))
      .map((id) => prefix + id)
      .sort(),
  );
  expect(calls?.Condition).toEqual({ StringEquals: { "aws:RequestedRegion": [...regions] } });
});

test("the models behind the profiles may be called in every region, since AWS chooses where a profile routes", () => {
  const [calls] = statementsOn("foundation-model").filter(({ Action }) => !Action.includes("bedrock:CountTokens"));
  expect(calls?.Resource.toSorted()).toEqual(
    catalog.models.map(({ base_id }) => `arn:aws:bedrock:*::foundation-model/${base_id}`).sort(),
  );
  expect(calls?.Condition).toBeUndefined();
});

test("only calls and counts are allowed, and no resource ends in a wildcard", () => {
  expect([...new Set(statements.flatMap(({ Action }) => Action))].sort()).toEqual([
    "bedrock-mantle:CountTokens",
    "bedrock:CountTokens",
    "bedrock:InvokeModel",
    "bedrock:InvokeModelWithResponseStream",
  ]);
  const resources = statements.flatMap(({ Resource }) => Resource);
  const named = /^arn:aws:(bedrock:\*:\d*:[a-z-]+\/[a-z0-9.:-]+|bedrock-mantle:[a-z0-9-]+:\d+:project\/default)$/;
  expect(resources.filter((resource) => !named.test(resource))).toEqual([]);
});

test("each model may be counted by the endpoint and in the regions that the catalog names for it, and nowhere else", () => {
  const counted = (by: string) =>
    catalog.models.filter(({ capabilities: { count_tokens } }) =>
      Object.values(count_tokens === "none" ? {} : count_tokens).every(({ endpoint }) => endpoint === by),
    );
  const baseIds = (by: string) => counted(by).map(({ base_id }) => base_id);
  const [runtime] = statements.filter(({ Action }) => Action.includes("bedrock:CountTokens"));
  expect(runtime).toMatchObject({
    Resource: baseIds("runtime").map((id) => `arn:aws:bedrock:*::foundation-model/${id}`),
    Condition: { StringEquals: { "aws:RequestedRegion": ["eu-central-1", "us-east-1", "eu-central-2"] } },
  });
  const [messages] = statements.filter(({ Action }) => Action.includes("bedrock-mantle:CountTokens"));
  expect(messages).toMatchObject({
    Resource: ["eu-west-1", "us-east-1"].map((region) => `arn:aws:bedrock-mantle:${region}:${account}:project/default`),
    Condition: { StringEquals: { "bedrock-mantle:Model": baseIds("messages") } },
  });
  expect([...baseIds("runtime"), ...baseIds("messages")]).toHaveLength(catalog.models.length);
});

test("a model that cannot be counted brings no right to count", async () => {
  const countless = catalog.models.map((model) => ({
    ...model,
    capabilities: { ...model.capabilities, count_tokens: "none" as const },
  }));
  const rights = modelRights(pulumi.output(account), { ...catalog, models: countless });
  expect(countless.length).toBeGreaterThan(0);
  expect(rights.flatMap(({ actions }) => actions).filter((action) => action.includes("CountTokens"))).toEqual([]);
});

function statementsOn(kind: string): PolicyStatement[] {
  return statements.filter(({ Resource }) => Resource.some((resource) => resource.includes(`:${kind}/`)));
}
