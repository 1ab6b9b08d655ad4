import { describe, expect, test } from "@jest/globals";
import { Iam } from "../../iam/iam.ts";
import { withSimulatedRegion } from "../../iam/models-in-no-region.ts";
import { allow, aPrincipal, aRole, resources } from "../support/declared-iam.ts";

const action = "bedrock:InvokeModel";
const model = (region: string, id = "anthropic.claude-sonnet-5") => `arn:aws:bedrock:${region}::foundation-model/${id}`;

function decide(allowed: string, asked: string, more: Record<string, unknown> = {}) {
  const iam = new Iam(resources(aRole("host", [allow(action, allowed, more)])));
  return iam.decide(aPrincipal("host"), { action, resource: asked, context: { "aws:RequestedRegion": "unspecified" } });
}

describe("a right on a model", () => {
  test.each([
    ["in no region", model(""), true],
    ["in no region, whatever the model", model("", "*"), true],
    ["in any region", model("*"), true],
    ["in every region of a geography", model("eu-*"), false],
    ["in one region", model("eu-central-1"), false],
    ["of another name in no region", model("", "anthropic.claude-opus-5"), false],
  ])("the action %s is judged for the model in no region", async (_, allowed, expected) => {
    expect((await decide(allowed, model(""))).allowed).toBe(expected);
  });

  test("a right on a model in no region does not allow calls in a region", async () => {
    expect((await decide(model(""), model("eu-central-1"))).allowed).toBe(false);
  });

  test("a right on a model in no region may be limited to requests without a region", async () => {
    const inRegion = (region: string) => ({ Condition: { StringEquals: { "aws:RequestedRegion": region } } });
    expect((await decide(model(""), model(""), inRegion("unspecified"))).allowed).toBe(true);
    expect((await decide(model(""), model(""), inRegion("eu-central-1"))).allowed).toBe(false);
  });
});

test("a denial for a model in no region names the ARN as AWS writes it", async () => {
  expect((await decide(model("eu-central-1"), model(""))).reason).toContain(`on resource: ${model("")} because`);
});

test("ARNs of other resources than models are not changed", () => {
  for (const arn of [model("eu-*"), "arn:aws:s3:::files/a"]) expect(withSimulatedRegion(arn)).toBe(arn);
});
