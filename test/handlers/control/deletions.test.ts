// A DELETE whose answer was lost is sent again: it answers as before (decision 39).
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Claims } from "../../../domain/access/credential.ts";
import { routes } from "../../../handlers/control/nouns.ts";
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

/** A thing by its path. `as` may delete it, or else the owner. */
type Made = { path: string; as?: Partial<Claims> };
/** Makes what a route deletes, where the example of the route that creates it does not. */
const made: Record<string, () => Promise<Made>> = {
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

/** Makes what a route deletes by the example of the route whose `location` has the last parameter of the path. */
async function madeByExample({ path }: Route): Promise<Made> {
  const parameter = path.match(/\{\w+\}$/)?.[0] ?? "";
  const creation = all.map(([, route]) => route).find(({ location }) => location?.endsWith(parameter));
  if (parameter === "" || !creation) throw new Error(`Say in \`made\` how ${path} comes to be`);
  const created = await post(creation.path, creation.example.body as object);
  return { path: path.replace(parameter, created[parameter.slice(1, -1)]) };
}

const all = Object.values<Record<string, Route>>(routes).flatMap((noun) => Object.entries(noun));
const deletions = all.filter(([, { method }]) => method === "DELETE");

test.each(deletions)("the deletion %s has the same answer when it is repeated", async (name, route) => {
  const { path, as = owner } = await (made[name] ?? (() => madeByExample(route)))();
  const first = await plane.call("DELETE", path, { as });
  const second = await plane.call("DELETE", path, { as });
  // What goes on for a while is 202 until it is over, and then there is nothing of that name.
  if (first.status === 202) expect([202, 404]).toContain(second.status);
  else
    expect([first, second].map(({ status, body }) => [status, body])).toEqual(
      Array(2).fill([successStatus(route), first.body]),
    );
});
