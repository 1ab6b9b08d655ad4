import { describe, expect, test } from "@jest/globals";
import type { Statement } from "../../../components/link.ts";
import { attachmentProblems, managedPolicies } from "../../../components/proxy/managed-policies.ts";
import { modelRights } from "../../../components/proxy/model-rights.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import { largeCatalog } from "../../support/program/large-catalog.ts";

type Written = { Action: string[]; Resource: string[]; Condition?: Statement<string>["conditions"] };

const statement = (name: string, count: number): Statement<string> => ({
  actions: ["bedrock:InvokeModel"],
  resources: Array.from({ length: count }, (_, place) => `arn:aws:bedrock:*::foundation-model/${name}-${place}`),
});
const written = (documents: string[]): Written[] => documents.flatMap((text) => JSON.parse(text).Statement);
const rightsOf = (count: number) => modelRights("000000000000", parseCatalog(largeCatalog(count)));

test("statements that fit into one policy become one policy, unchanged", () => {
  const [text, ...others] = managedPolicies([statement("a", 2), statement("b", 1)]);
  expect(others).toEqual([]);
  expect(JSON.parse(text ?? "")).toEqual({
    Version: "2012-10-17",
    Statement: [statement("a", 2), statement("b", 1)].map(({ actions, resources }) => ({
      Effect: "Allow",
      Action: actions,
      Resource: resources,
    })),
  });
});

test("an empty list of statements gives no policy", () => {
  expect(managedPolicies([])).toEqual([]);
});

test("a long list of statements continues in the next policy, in order and complete", () => {
  const documents = managedPolicies([statement("a", 200)]);
  expect(documents.length).toBeGreaterThan(1);
  expect(documents.filter(({ length }) => length > 6_144)).toEqual([]);
  expect(written(documents).flatMap(({ Resource }) => Resource)).toEqual(statement("a", 200).resources);
});

test("a long list of a condition's values is split in the same way, each part with all resources", () => {
  const models = Array.from({ length: 400 }, (_, place) => `anthropic.claude-${place}`);
  const conditions = { StringEquals: { "bedrock-mantle:Model": models } };
  const parts = written(managedPolicies([{ ...statement("a", 2), conditions }]));
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.map(({ Resource }) => Resource)).toEqual(parts.map(() => statement("a", 2).resources));
  expect(parts.flatMap(({ Condition }) => Condition?.StringEquals?.["bedrock-mantle:Model"])).toEqual(models);
});

describe("a catalog of 150 models", () => {
  const documents = managedPolicies(rightsOf(150));

  test("a catalog of 150 models fits in the policies that AWS attaches to a role", () => {
    expect(documents.length).toBeLessThanOrEqual(10);
    expect(documents.filter(({ length }) => length > 6_144)).toEqual([]);
  });

  test("a catalog of 150 models gets every right exactly once", () => {
    const single = (statements: Statement<string>[]) =>
      statements.flatMap(({ actions, resources, conditions }) =>
        resources.flatMap((resource) => {
          const models = [conditions?.StringEquals?.["bedrock-mantle:Model"] ?? ""].flat();
          return models.map((model) => JSON.stringify([actions, resource, model || conditions]));
        }),
      );
    const packed = written(documents).map(({ Action, Resource, Condition }) => ({
      actions: Action,
      resources: Resource,
      ...(Condition && { conditions: Condition }),
    }));
    expect(single(packed).toSorted()).toEqual(single(rightsOf(150)).toSorted());
  });

  test("a catalog of 150 models gives the same policies each time", () => {
    expect(managedPolicies(rightsOf(150))).toEqual(documents);
  });
});

test("policies that AWS would not attach are refused, with their size", () => {
  expect(attachmentProblems("host", managedPolicies(rightsOf(150)))).toEqual([]);
  expect(attachmentProblems("host", managedPolicies(rightsOf(300)))).toEqual([
    expect.stringMatching(
      /^role host: its rights fill 1\d policies with \d{5} characters, and AWS attaches 10 of 6144 each$/,
    ),
  ]);
});
