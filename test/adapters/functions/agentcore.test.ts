import { expect, test } from "@jest/globals";
import { askedAgentCore } from "../../../adapters/functions/agentcore.ts";
import { lambdaWith } from "../../support/program/asked-lambda.ts";

const author = { tenantId: "t1", sub: "owner" };
const gateway = {
  tenant_id: "t1",
  state: "ready",
  created_at: "2026-11-23T10:00:00.000Z",
  address: "a",
  client_id: "c",
  public_client_id: "p",
};

const agentCoreOf = (answer: Parameters<typeof lambdaWith>[0]) => {
  const { asked, invoke } = lambdaWith(answer);
  return { asked, agentCore: askedAgentCore("arn:agentcore", invoke) };
};

test("a gateway is requested together with the person who requests it, and returned with the client's secret", async () => {
  const { asked, agentCore } = agentCoreOf({ payload: { result: { gateway, client_secret: "s" } } });
  expect(await agentCore.setUpGateway(author)).toEqual({ gateway, clientSecret: "s" });
  expect(await agentCore.rotateSecret(author)).toEqual({ gateway, clientSecret: "s" });
  const input = { tenant_id: "t1", actor: "owner" };
  expect(asked.map(([, payload]) => payload)).toEqual([
    { action: "set_up_gateway", input },
    { action: "rotate_gateway_secret", input },
  ]);
});

test("a deleted workspace's gateway is removed, or its removal continues later", async () => {
  expect(await agentCoreOf({ payload: { result: { removed: "waiting" } } }).agentCore.remove("t1")).toBe("waiting");
  const removed = { mcp_gateway: 0 };
  expect(await agentCoreOf({ payload: { result: { removed } } }).agentCore.remove("t1")).toEqual(removed);
});

test("a gateway request that is not answered in time may have begun, and is repeated later", async () => {
  const { agentCore } = agentCoreOf(Object.assign(new Error("timed out"), { $metadata: {} }));
  const expected = { code: "gateway_unavailable" };
  await expect(agentCore.setUpGateway(author)).rejects.toMatchObject(expected);
  await expect(agentCore.removeGateway(author)).rejects.toMatchObject(expected);
});
