import { expect, test } from "@jest/globals";
import { accountOf, arnOf, idOf, physicalName } from "../../pulumi/names.ts";

test("a name in the program is kept, and a name that is left open gets a suffix", () => {
  expect([physicalName("proxy", { name: "given" }), physicalName("proxy", {})]).toEqual(["given", "proxy-local"]);
});

test("an id is the same in each run, has the requested length, and differs for another name", () => {
  expect(idOf("proxy", 26)).toMatch(/^[a-z0-9]{26}$/);
  expect(idOf("proxy", 26)).toBe(idOf("proxy", 26));
  expect(idOf("proxy", 26)).not.toBe(idOf("control", 26));
});

test("an ARN of a global service names no region", () => {
  expect(arnOf("iam", "", "role/proxy")).toBe("arn:aws:iam::000000000000:role/proxy");
  expect(arnOf("logs", "eu-central-1", "log-group:a")).toBe("arn:aws:logs:eu-central-1:000000000000:log-group:a");
});

test("an ARN contains the platform's account, unless another account is named", () => {
  expect(arnOf("iam", "", "role/proxy", "111111111111")).toBe("arn:aws:iam::111111111111:role/proxy");
});

test("a provider's id is its account, and Pulumi's default provider has the platform's account", () => {
  const urn = "urn:pulumi:dev::archway::pulumi:providers:aws::";
  expect(accountOf(`${urn}proxy-model-host::111111111111`)).toBe("111111111111");
  expect(accountOf(`${urn}default_7_48_0::1b671a64-40d5-491e-99b0-da01ff1f3341`)).toBe("000000000000");
  expect(accountOf("")).toBe("000000000000");
  expect(accountOf()).toBe("000000000000");
});
