import { beforeEach, expect, test } from "@jest/globals";
import { processGateway, queueDueGateways } from "../../../domain/mcp/gateway-job.ts";
import { setUpGateway } from "../../../domain/mcp/gateway-setup.ts";
import { author, McpWorld, tenantId } from "../../support/mcp/mcp-world.ts";

let world: McpWorld;
beforeEach(async () => {
  world = new McpWorld();
  await setUpGateway(world.deps, author);
});

test("a gateway that AgentCore reports as ready gets its rate limit, and is then ready", async () => {
  await processGateway(world.deps, tenantId);
  expect([...world.gateways.values()]).toMatchObject([{ limited: true }]);
  expect([world.record?.state, world.dueAt, world.lease]).toEqual(["ready", null, undefined]);
});

test("a gateway that AgentCore cannot create is reported, without AgentCore's own words", async () => {
  world.fate = "failed";
  await processGateway(world.deps, tenantId);
  expect(world.record).toMatchObject({ state: "failed", reason: expect.stringContaining("delete it") });
  expect(JSON.stringify(world.record)).not.toContain("own words");
  expect(world.problems).toEqual(["A gateway could not be made"]);
});

test("a gateway that is gone from AgentCore counts as failed", async () => {
  world.gateways.clear();
  await processGateway(world.deps, tenantId);
  expect(world.record?.state).toBe("failed");
});

test("an interrupted change of a gateway is queued once it is due, and a ready gateway is not queued", async () => {
  world.jobs.length = 0;
  await queueDueGateways(world.deps);
  expect(world.jobs).toEqual([]);
  world.now += 300_000;
  await queueDueGateways(world.deps);
  expect(world.jobs).toEqual([{ kind: "gateway", tenant_id: tenantId }]);
  await processGateway(world.deps, tenantId);
  world.jobs.length = 0;
  await queueDueGateways(world.deps);
  expect(world.jobs).toEqual([]);
});

test("a ready gateway whose settings differ from today's is queued, and updated in place", async () => {
  await processGateway(world.deps, tenantId);
  const [[id, gateway] = ["", undefined]] = world.gateways;
  Object.assign(gateway ?? {}, { isOutdated: true });
  world.jobs.length = 0;
  await queueDueGateways(world.deps);
  expect(world.jobs).toEqual([{ kind: "gateway", tenant_id: tenantId }]);
  const before = world.record;
  await processGateway(world.deps, tenantId);
  expect([...world.gateways]).toMatchObject([[id, { isOutdated: false, state: "ready" }]]);
  expect(world.renewed).toEqual([before?.client_id, before?.public_client_id]);
  expect(world.record).toEqual(before);
  world.jobs.length = 0;
  await queueDueGateways(world.deps);
  expect(world.jobs).toEqual([]);
});

test("a gateway that AgentCore cannot update stays ready, because it works as before, and the operator is notified", async () => {
  await processGateway(world.deps, tenantId);
  for (const gateway of world.gateways.values()) gateway.isOutdated = true;
  world.fate = "failed";
  await processGateway(world.deps, tenantId);
  expect([world.record?.state, world.problems]).toEqual([
    "ready",
    ["A gateway could not be brought to its present form"],
  ]);
});

test("a job for a gateway that is gone does nothing", async () => {
  world.record = undefined;
  await processGateway(world.deps, tenantId);
  expect(world.problems).toEqual([]);
});
