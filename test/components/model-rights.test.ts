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
    "bedrock:CountTokens",
    "bedrock:InvokeModel",
    "bedrock:InvokeModelWithResponseStream",
  ]);
  const resources = statements.flatMap(({ Resource }) => Resource);
  expect(resources.filter((resource) => !/^arn:aws:bedrock:\*:\d*:[a-z-]+\/[a-z0-9.:-]+$/.test(resource))).toEqual([]);
});

test("a model that cannot be counted brings no right to count", async () => {
  const countless = catalog.models.filter(({ capabilities }) => capabilities.count_tokens.kind !== "runtime");
  const rights = modelRights(pulumi.output(account), { ...catalog, models: countless });
  expect(countless.length).toBeGreaterThan(0);
  expect(rights.flatMap(({ actions }) => actions)).not.toContain("bedrock:CountTokens");
});

function statementsOn(kind: string): PolicyStatement[] {
  return statements.filter(({ Resource }) => Resource.some((resource) => resource.includes(`:${kind}/`)));
}
