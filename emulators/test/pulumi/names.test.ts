import { expect, test } from "@jest/globals";
import { accountOf, arnOf, idOf, physicalName } from "../../pulumi/names.ts";

test("a name that the program gives is kept, another ends in a suffix", () => {
  expect([physicalName("proxy", { name: "given" }), physicalName("proxy", {})]).toEqual(["given", "proxy-local"]);
});

test("an id is the same each time, of the length asked for, and another for another name", () => {
  expect(idOf("proxy", 26)).toMatch(/^[a-z0-9]{26}$/);
  expect(idOf("proxy", 26)).toBe(idOf("proxy", 26));
  expect(idOf("proxy", 26)).not.toBe(idOf("control", 26));
});

test("an ARN of a global service names no region", () => {
  expect(arnOf("iam", "", "role/proxy")).toBe("arn:aws:iam::000000000000:role/proxy");
  expect(arnOf("logs", "eu-central-1", "log-group:a")).toBe("arn:aws:logs:eu-central-1:000000000000:log-group:a");
});

test("an ARN is of the platform's account, unless another one is named", () => {
  expect(arnOf("iam", "", "role/proxy", "111111111111")).toBe("arn:aws:iam::111111111111:role/proxy");
});

test("a provider's account is its id, and the platform's for Pulumi's default provider", () => {
  const urn = "urn:pulumi:dev::archway::pulumi:providers:aws::";
  expect(accountOf(`${urn}proxy-model-host::111111111111`)).toBe("111111111111");
  expect(accountOf(`${urn}default_7_48_0::1b671a64-40d5-491e-99b0-da01ff1f3341`)).toBe("000000000000");
  expect(accountOf("")).toBe("000000000000");
  expect(accountOf()).toBe("000000000000");
});
