import { beforeEach, describe, expect, test } from "@jest/globals";
import { processGateway } from "../../../domain/mcp/gateway-job.ts";
import { presentSecret, rotateSecret } from "../../../domain/mcp/gateway-secret.ts";
import { setUpGateway } from "../../../domain/mcp/gateway-setup.ts";
import { author, McpWorld, tenantId } from "../../support/mcp/mcp-world.ts";

const dayMs = 86_400_000;
let world: McpWorld;
let first: string;

async function aReadyWorld(): Promise<void> {
  world = new McpWorld();
  ({ clientSecret: first } = await setUpGateway(world.deps, author));
  await processGateway(world.deps, tenantId);
}
beforeEach(aReadyWorld);

const good = () => world.clients.get(world.record?.client_id ?? "")?.secrets.map(({ value }) => value) ?? [];

test("rotating a gateway's secret keeps the client's id, and the previous secret is valid for a day", async () => {
  const { client_id } = world.record ?? {};
  const { clientSecret, gateway } = await rotateSecret(world.deps, author);
  expect([gateway.client_id, good()]).toEqual([client_id, [first, clientSecret]]);
  expect(await presentSecret(world.deps, tenantId)).toBe(clientSecret);
  expect(world.dueAt).toBe(gateway.retiring_secret?.until);

  world.now += dayMs - 1_000;
  await processGateway(world.deps, tenantId);
  expect(good()).toEqual([first, clientSecret]);
  world.now += 1_000;
  await processGateway(world.deps, tenantId);
  expect([good(), world.record?.retiring_secret, world.dueAt]).toEqual([[clientSecret], undefined, null]);
});

test("rotating a gateway's secret a second time within a day is refused, because clients would be cut off", async () => {
  await rotateSecret(world.deps, author);
  await expect(rotateSecret(world.deps, author)).rejects.toMatchObject({ code: "previous_secret_valid" });
  world.now += dayMs;
  await processGateway(world.deps, tenantId);
  const { clientSecret } = await rotateSecret(world.deps, author);
  expect(good()).toContain(clientSecret);
});

test("a workspace without a gateway has no secret to rotate", async () => {
  world.record = undefined;
  await expect(rotateSecret(world.deps, author)).rejects.toMatchObject({ code: "not_found" });
});

test("rotating a gateway's secret is recorded in the audit trail, without the secret", async () => {
  const { clientSecret } = await rotateSecret(world.deps, author);
  expect(world.entries.at(-1)).toMatchObject({ action: "mcp_gateway.rotate", actor: "owner" });
  expect(JSON.stringify([world.record, world.entries])).not.toContain(clientSecret);
});

describe("each outside call of a rotation", () => {
  test.each(["before", "after"] as const)(
    "each outside call of a secret's rotation that fails %s it took effect leaves the shown secret valid, and so does a repeat",
    async (when) => {
      const start = world.calls;
      await rotateSecret(world.deps, author);
      const calls = world.calls - start;
      for (let call = 1; call <= calls; call++) {
        await aReadyWorld();
        world.fault = { call: world.calls + call, when };
        await expect(rotateSecret(world.deps, author)).rejects.toThrow(`it failed ${when}`);
        // Nobody is cut off: what was shown is good, and what is kept is good.
        expect(good()).toContain(first);
        expect(good()).toContain(await presentSecret(world.deps, tenantId));
        const { clientSecret } = await rotateSecret(world.deps, author);
        expect(good()).toEqual([first, clientSecret]);
        expect(await presentSecret(world.deps, tenantId)).toBe(clientSecret);
      }
    },
  );
});
