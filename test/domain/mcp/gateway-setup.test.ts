import { beforeEach, describe, expect, test } from "@jest/globals";
import { processGateway } from "../../../domain/mcp/gateway-job.ts";
import { setUpGateway } from "../../../domain/mcp/gateway-setup.ts";
import { author, McpWorld, tenantId } from "../../support/mcp/mcp-world.ts";

let world: McpWorld;
beforeEach(() => {
  world = new McpWorld();
});

/** One gateway with its two clients, known to the triggers, and one secret that the pool takes. */
function expectWhole() {
  expect(world.left()).toEqual([1, 2, 2, 1]);
  const { client_id, public_client_id, gateway_id } = world.record ?? {};
  expect([...world.gateways.keys()]).toEqual([gateway_id]);
  expect([...world.clients.keys()].toSorted()).toEqual([client_id, public_client_id].toSorted());
  expect([...world.registered]).toEqual([
    [client_id, tenantId],
    [public_client_id, tenantId],
  ]);
  const { client_secret } = JSON.parse([...world.secrets.values()][0] ?? "{}");
  expect(world.clients.get(client_id ?? "")?.secrets.map(({ value }) => value)).toEqual([client_secret]);
  expect(world.clients.get(public_client_id ?? "")?.secrets).toEqual([]);
  return client_secret as string;
}

test("setting up a gateway answers with an address and a secret, and each repeat with the same", async () => {
  const first = await setUpGateway(world.deps, author);
  expect(first.clientSecret).toBe(expectWhole());
  expect(first.gateway).toMatchObject({
    state: "creating",
    address: expect.stringContaining(world.record?.gateway_id ?? "-"),
  });
  const { calls } = world;
  expect(await setUpGateway(world.deps, author)).toEqual(first);
  // It reads the secret, and nothing else.
  expect(world.calls - calls).toBe(1);
  expect(world.entries).toMatchObject([{ action: "mcp_gateway.create", actor: "owner", target: tenantId }]);
});

test("a gateway's secret is in no record and in no audit entry", async () => {
  const { clientSecret } = await setUpGateway(world.deps, author);
  expect(JSON.stringify([world.record, world.entries, world.jobs])).not.toContain(clientSecret);
});

describe("each outside call", () => {
  test.each(["before", "after"] as const)(
    "each outside call of a gateway's setup that fails %s it took effect is completed by a repeat, without duplicates",
    async (when) => {
      await setUpGateway(world.deps, author);
      const { calls } = world;
      for (let call = 1; call <= calls; call++) {
        world = new McpWorld();
        world.fault = { call, when };
        await expect(setUpGateway(world.deps, author)).rejects.toThrow(`it failed ${when}`);
        const { clientSecret } = await setUpGateway(world.deps, author);
        expect(clientSecret).toBe(expectWhole());
      }
    },
  );

  test("an interrupted setup of a gateway is continued by the schedule's job", async () => {
    world.fault = { call: 6, when: "before" };
    await expect(setUpGateway(world.deps, author)).rejects.toThrow();
    expect(world.dueAt).toBe("2026-11-23T00:05:00.000Z");
    await processGateway(world.deps, tenantId);
    expectWhole();
    expect([world.record?.state, world.dueAt]).toEqual(["ready", null]);
  });
});

test("a gateway for which the account has no room leaves nothing behind", async () => {
  world.isFull = true;
  await expect(setUpGateway(world.deps, author)).rejects.toMatchObject({ code: "platform_full" });
  expect([world.left(), world.record]).toEqual([[0, 0, 0, 0], undefined]);
});

test("a gateway's setup waits while the workspace's key is being created, and is refused if the workspace is not active", async () => {
  world.tenant = { tenant_id: tenantId, status: "active" };
  await expect(setUpGateway(world.deps, author)).rejects.toMatchObject({ code: "workspace_incomplete" });
  expect(world.left()).toEqual([0, 0, 0, 0]);
  world.tenant = { tenant_id: tenantId, status: "suspended" };
  await expect(setUpGateway(world.deps, author)).rejects.toMatchObject({ code: "not_found" });
});

test("two simultaneous setups create one gateway", async () => {
  const [one, other] = await Promise.all([setUpGateway(world.deps, author), setUpGateway(world.deps, author)]);
  expect(one?.gateway.address).toBe(other?.gateway.address);
  expectWhole();
});

test("a gateway's setup is answered with a time to retry while another run works on the gateway", async () => {
  world.lease = world.now + 3_600_000;
  await expect(setUpGateway(world.deps, author)).rejects.toMatchObject({
    code: "changed_meanwhile",
  });
});
