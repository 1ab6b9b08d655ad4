import { expect, test } from "@jest/globals";
import {
  connectorNames,
  gatewayAddress,
  gatewayName,
  secretName,
  stackMark,
  tenantOfGateway,
} from "../../../domain/mcp/names.ts";

const tenantId = "9b2f0000-0000-4000-8000-0000000000ac";

test("a gateway's name is valid for AgentCore, and differs between stacks and tenants", () => {
  const names = ["dev", "prod", "a.stack_with-Every.thing"].map((stack) => gatewayName(stack, tenantId));
  for (const name of names) expect(name).toMatch(/^([0-9a-zA-Z][-]?){1,48}$/);
  expect(new Set(names).size).toBe(3);
  expect(gatewayName("dev", tenantId)).toBe(`${stackMark("dev")}-9b2f0000000040008000000000 0000ac`.replace(" ", ""));
});

test("a gateway's name tells only its own stack which tenant it belongs to", () => {
  const name = gatewayName("dev", tenantId);
  expect([tenantOfGateway("dev", name), tenantOfGateway("prod", name)]).toEqual([tenantId, undefined]);
  expect(tenantOfGateway("dev", `${name}0`)).toBeUndefined();
});

test("a gateway's address contains its id and a mark that can be computed only with the key", () => {
  const address = gatewayAddress("name-abcde12345", "key");
  expect(address).toMatch(/^name-abcde12345-[0-9a-f]{24}$/);
  expect(gatewayAddress("name-abcde12345", "other")).not.toBe(address);
  expect(gatewayAddress("name-abcde12346", "key").slice(-24)).not.toBe(address.slice(-24));
});

test("the two clients of a gateway and a tenant's secrets have different names", () => {
  expect(connectorNames(tenantId)).toEqual({ confidential: `mcp-${tenantId}`, public: `mcp-${tenantId}-public` });
  expect(secretName("dev", tenantId, "gateway")).toBe(`archway/dev/${tenantId}/gateway`);
});
