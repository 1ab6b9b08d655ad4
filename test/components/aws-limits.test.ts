import { expect, test } from "@jest/globals";
import * as pulumi from "@pulumi/pulumi";
import { edgeCodeProblems, environmentProblems, policyProblems } from "../../components/aws-limits.ts";

const statements = (count: number) => Array.from({ length: count }, (_, place) => `arn:aws:bedrock:::model-${place}`);

test("a policy of more than 10,240 characters is refused, with the role's name", () => {
  expect(policyProblems("proxy", [{ resources: statements(200) }])).toEqual([]);
  expect(policyProblems("proxy", [{ resources: statements(400) }])).toEqual([
    expect.stringMatching(/^role proxy: its policy has 1\d{4} characters, and AWS takes 10240$/),
  ]);
});

test("an environment of more than 4 KB is refused, counted in bytes", () => {
  expect(environmentProblems("meter", { NAMES: "n".repeat(4_000) })).toEqual([]);
  expect(environmentProblems("meter", { NAMES: "ä".repeat(2_050) })).toEqual([
    expect.stringMatching(/^function meter: its environment has 41\d\d bytes, and AWS takes 4096$/),
  ]);
});

test("edge code of more than 10 KB is refused", () => {
  expect(edgeCodeProblems("proxy", " ".repeat(10_240))).toEqual([]);
  expect(edgeCodeProblems("proxy", " ".repeat(10_241))).toEqual([
    expect.stringContaining("edge function proxy: its code"),
  ]);
});

test("a value that only AWS knows counts as a long ARN, wherever it is used", () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, place) => [`ARN_${place}`, pulumi.output("short")]));
  expect(environmentProblems("proxy", many)).toEqual([]);
  expect(environmentProblems("proxy", { ...many, NAMES: "n".repeat(300) })).toEqual([
    expect.stringContaining("its environment has"),
  ]);
});
