// A DELETE whose answer was lost is sent again: it answers as before (decision 39).
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Claims } from "../../../domain/access/credential.ts";
import { routes } from "../../../handlers/control/routes.ts";
import { type Route, successStatus } from "../../../handlers/control/routing/route.ts";
import { openControlPlane } from "../../support/control-plane.ts";
import { scriptSkill, uploadOf } from "../../support/skills/skill-files.ts";

type Person = Claims & { tenant_id: string };
const admin: Partial<Claims> = { sub: "root", platform_role: "platform_admin" };

let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Person;
let developer: Person;
beforeAll(async () => {
  plane = await openControlPlane();
  owner = await plane.workspace("Deletions");
  developer = await plane.developer(owner.tenant_id);
});
afterAll(() => plane.close());

const post = async (path: string, body: object) => (await plane.call("POST", path, { as: owner, body })).body;

/** Makes what each route deletes. @returns its path, and who may delete it if that is not the owner */
const made: Record<string, () => Promise<{ path: string; as?: Partial<Claims> }>> = {
  async revokeKey() {
    const { key_id } = await post("/v1/keys", { name: "Laptop" });
    return { path: `/v1/keys/${key_id}` };
  },
  async deleteGrant() {
    const path = `/v1/grants/${developer.sub}`;
    const body = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1 };
    await plane.call("PUT", path, { as: owner, body });
    return { path };
  },
  async removeUser() {
    return { path: `/v1/users/${(await plane.developer(owner.tenant_id)).sub}` };
  },
  async deleteTenant() {
    const other = await plane.workspace("Given up");
    return { path: `/v1/tenants/${other.tenant_id}`, as: other };
  },
  async deleteMcpGateway() {
    await post("/v1/mcp-gateway", {});
    return { path: "/v1/mcp-gateway" };
  },
  async deleteMcpServer() {
    const other = await plane.workspace("Tools");
    await plane.call("POST", "/v1/mcp-gateway", { as: other });
    const { body } = routes.mcpServers.registerMcpServer.example;
    const { server_id } = (await plane.call("POST", "/v1/mcp-servers", { as: other, body })).body;
    return { path: `/v1/mcp-servers/${server_id}`, as: other };
  },
  async deleteSkill() {
    await post("/v1/skills", uploadOf(scriptSkill("goes")));
    return { path: "/v1/skills/goes" };
  },
  async deleteSecret() {
    await plane.call("PUT", "/v1/secrets/GOES", { as: developer, body: { value: "a token" } });
    return { path: "/v1/secrets/GOES", as: developer };
  },
  async purgeTenant() {
    const other = await plane.workspace("Purged");
    await plane.call("DELETE", `/v1/tenants/${other.tenant_id}`, { as: other });
    return { path: `/v1/tenants/${other.tenant_id}/purge`, as: admin };
  },
};

const deletions = Object.values<Record<string, Route>>(routes)
  .flatMap((noun) => Object.entries(noun))
  .filter(([, { method }]) => method === "DELETE");

test.each(deletions)("the deletion %s has the same answer when it is repeated", async (name, route) => {
  const { path, as = owner } = (await made[name]?.()) ?? { path: "nobody has said how to make what this deletes" };
  const first = await plane.call("DELETE", path, { as });
  const second = await plane.call("DELETE", path, { as });
  // What goes on for a while is 202 until it is over, and then there is nothing of that name.
  if (first.status === 202) expect([202, 404]).toContain(second.status);
  else
    expect([first, second].map(({ status, body }) => [status, body])).toEqual(
      Array(2).fill([successStatus(route), first.body]),
    );
});
