import { expect, test } from "@jest/globals";
import * as pulumi from "@pulumi/pulumi";
import { checkEdgeCodeSize, checkEnvironmentSize, checkPolicySize } from "../../components/aws-limits.ts";

const statements = (count: number) => Array.from({ length: count }, (_, place) => `arn:aws:bedrock:::model-${place}`);

test("a policy of more than 10,240 characters is refused, with the role's name", () => {
  expect(() => checkPolicySize("proxy", [{ resources: statements(200) }])).not.toThrow();
  expect(() => checkPolicySize("proxy", [{ resources: statements(400) }])).toThrow(
    /role proxy: its policy has 1\d{4} characters, and AWS takes 10240/,
  );
});

test("an environment of more than 4 KB is refused, bytes and not letters", () => {
  expect(() => checkEnvironmentSize("meter", { NAMES: "n".repeat(4_000) })).not.toThrow();
  expect(() => checkEnvironmentSize("meter", { NAMES: "ä".repeat(2_050) })).toThrow(
    /function meter: its environment has 41\d\d bytes, and AWS takes 4096/,
  );
});

test("code of more than 10 KB is refused at the edge", () => {
  expect(() => checkEdgeCodeSize("proxy", " ".repeat(10_240))).not.toThrow();
  expect(() => checkEdgeCodeSize("proxy", " ".repeat(10_241))).toThrow("edge function proxy: its code");
});

test("what only AWS knows counts as a long ARN, wherever it stands", () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, place) => [`ARN_${place}`, pulumi.output("short")]));
  expect(() => checkEnvironmentSize("proxy", many)).not.toThrow();
  expect(() => checkEnvironmentSize("proxy", { ...many, NAMES: "n".repeat(300) })).toThrow("its environment has");
});
