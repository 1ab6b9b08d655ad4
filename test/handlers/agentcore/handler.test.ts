import { beforeEach, expect, test } from "@jest/globals";
import { type AccountQuotas, usualQuotas } from "../../../domain/marketplace/account-quotas.ts";
import { type AgentCoreDependencies, agentCoreHandler } from "../../../handlers/agentcore/handler.ts";
import { McpWorld, tenantId } from "../../support/mcp/mcp-world.ts";

let world: McpWorld;
beforeEach(() => {
  world = new McpWorld();
  percents = [];
});

/** The gateway's part: this workspace has no integrations. */
const mcpServers = { due: async function* () {} };
const quotas = { quotas: usualQuotas, inUse: async () => ({ ...usualQuotas, gateways: 500 }) };
let percents: AccountQuotas[];
const reportUse = (one: AccountQuotas) => void percents.push(one);
const handler = () =>
  agentCoreHandler({ ...world.deps, mcpServers, ...quotas, reportUse } as unknown as AgentCoreDependencies);
const ask = (action: string) =>
  handler()({ action, input: { tenant_id: tenantId, actor: "owner" } }) as Promise<{
    result: Record<string, unknown>;
  }>;
const work = () =>
  handler()({
    Records: world.jobs.splice(0).map((job, place) => ({
      messageId: String(place),
      body: JSON.stringify(job),
      attributes: { ApproximateReceiveCount: "1" },
    })),
  } as never);
const schedule = () => handler()({ source: "aws.events", "detail-type": "Scheduled Event" });

test("a gateway is created, rotated and removed by actions and their jobs", async () => {
  const { result } = await ask("set_up_gateway");
  expect(result).toMatchObject({ client_secret: expect.any(String), gateway: { state: "creating" } });
  expect(await work()).toEqual({ batchItemFailures: [] });
  expect(world.record?.state).toBe("ready");
  expect((await ask("rotate_gateway_secret")).result.client_secret).not.toBe(result.client_secret);
  expect(await ask("remove_gateway")).toEqual({ result: {} });
  await work();
  expect([world.left(), world.record]).toEqual([[0, 0, 0, 0], undefined]);
});

test("the schedule of agentcore continues interrupted work", async () => {
  await ask("set_up_gateway");
  world.jobs.length = 0;
  world.now += 300_000;
  await schedule();
  await work();
  expect(world.record?.state).toBe("ready");
  // What the account has room for is measured as often.
  expect(percents).toEqual([{ api_key_providers: 100, gateways: 50, runtimes: 100, app_clients: 100 }]);
});

test("a purge waits until the gateway of the deleted workspace is gone", async () => {
  await ask("set_up_gateway");
  await work();
  expect(await ask("remove")).toMatchObject({ refusal: { code: "workspace_not_deleted" } });
  world.tenant = { ...world.tenant, status: "deleted" };
  expect(await ask("remove")).toEqual({ result: { removed: "waiting" } });
  await work();
  expect(await ask("remove")).toEqual({ result: { removed: { mcp_gateway: 0 } } });
  expect(world.entries.at(-1)).toMatchObject({ action: "mcp_gateway.delete", actor: "purge" });
});

test("a job of agentcore that another run blocks is tried again later", async () => {
  await ask("set_up_gateway");
  world.lease = world.now + 3_600_000;
  expect(await work()).toEqual({ batchItemFailures: [{ itemIdentifier: "0" }] });
});
