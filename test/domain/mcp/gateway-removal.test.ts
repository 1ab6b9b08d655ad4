import { beforeEach, describe, expect, test } from "@jest/globals";
import { processGateway } from "../../../domain/mcp/gateway-job.ts";
import { requestRemoval } from "../../../domain/mcp/gateway-removal.ts";
import { setUpGateway } from "../../../domain/mcp/gateway-setup.ts";
import { author, McpWorld, tenantId } from "../../support/mcp/mcp-world.ts";

const nothing = [0, 0, 0, 0];
let world: McpWorld;

async function aReadyWorld(): Promise<void> {
  world = new McpWorld();
  await setUpGateway(world.deps, author);
  await processGateway(world.deps, tenantId);
  for (const gateway of world.gateways.values()) gateway.targets = ["one", "two"];
}
beforeEach(aReadyWorld);

test("removing a gateway removes targets first, then clients and secret, then the gateway, and the record last", async () => {
  world.lingering = 2;
  await requestRemoval(world.deps, author);
  expect([world.record?.state, world.left()]).toEqual(["deleting", [1, 2, 2, 1]]);
  await processGateway(world.deps, tenantId);
  expect([world.left(), world.record, world.dueAt]).toEqual([nothing, undefined, null]);
  expect(world.entries.at(-1)).toMatchObject({ action: "mcp_gateway.delete", actor: "owner" });
});

test("removing a gateway is requested once, however often the call is repeated", async () => {
  await requestRemoval(world.deps, author);
  await requestRemoval(world.deps, author);
  expect(world.entries.map(({ action }) => action)).toEqual(["mcp_gateway.create", "mcp_gateway.delete"]);
});

test("no gateway can be created while one is being removed, and removing a removed gateway changes nothing", async () => {
  await requestRemoval(world.deps, author);
  await expect(setUpGateway(world.deps, author)).rejects.toMatchObject({ code: "gateway_deleting" });
  await processGateway(world.deps, tenantId);
  const { length } = world.entries;
  await requestRemoval(world.deps, author);
  expect([world.record, world.entries.length]).toEqual([undefined, length]);
  await setUpGateway(world.deps, author);
  expect(world.left()).toEqual([1, 2, 2, 1]);
});

test("removing a gateway waits for everything that depends on it", async () => {
  await requestRemoval(world.deps, author);
  const servers = { removeAll: async () => false };
  await expect(processGateway({ ...world.deps, servers }, tenantId)).rejects.toThrow("goes on in another run");
  expect(world.left()).toEqual([1, 2, 2, 1]);
  await processGateway(world.deps, tenantId);
  expect(world.left()).toEqual(nothing);
});

test("an interrupted creation of a gateway is removed by its name", async () => {
  world = new McpWorld();
  world.fault = { call: 5, when: "after" };
  await expect(setUpGateway(world.deps, author)).rejects.toThrow();
  await requestRemoval(world.deps, author);
  await processGateway(world.deps, tenantId);
  expect([world.left(), world.record]).toEqual([nothing, undefined]);
});

describe("each outside call of a removal", () => {
  test.each(["before", "after"] as const)(
    "each outside call of a gateway's removal that fails %s it took effect is completed by a repeat",
    async (when) => {
      await requestRemoval(world.deps, author);
      const start = world.calls;
      await processGateway(world.deps, tenantId);
      const calls = world.calls - start;
      for (let call = 1; call <= calls; call++) {
        await aReadyWorld();
        await requestRemoval(world.deps, author);
        world.fault = { call: world.calls + call, when };
        await expect(processGateway(world.deps, tenantId)).rejects.toThrow(`it failed ${when}`);
        await processGateway(world.deps, tenantId);
        expect([world.left(), world.record]).toEqual([nothing, undefined]);
      }
    },
  );
});
