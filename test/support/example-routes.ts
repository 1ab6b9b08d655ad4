// A made-up noun of the control plane: one route for each access rule and each kind of creation, served like the real ones.
import * as z from "zod";
import type { ControlDependencies } from "../../handlers/control/dependencies.ts";
import { serve } from "../../handlers/control/handler.ts";
import { implement } from "../../handlers/control/routing/implement.ts";
import { noun } from "../../handlers/control/routing/noun.ts";
import type { Operations } from "../../handlers/control/routing/operation.ts";
import type { Route } from "../../handlers/control/routing/route.ts";
import { writtenBy } from "../../handlers/control/routing/writers.ts";
import { tenantRoutes } from "../../handlers/control/workspace/tenants.routes.ts";
import { tenantOperations } from "../../handlers/control/workspace/tenants.ts";
import type { ControlCaller } from "../../handlers/middleware/caller.ts";

const seen = z.object({ role: z.string().optional(), tenant_id: z.string().optional(), name: z.string().optional() });
const created = z.object({ id: z.string(), by: z.string() });
const reading = {
  method: "GET",
  summary: "What is known of the caller",
  response: seen,
  example: {},
} as const;
const creating = {
  method: "POST",
  summary: "Create a thing",
  body: writtenBy(z.object({ name: z.string() }), "caller"),
  status: 201,
  response: created,
  example: {},
} as const;

export const thingRoutes = {
  signedIn: { ...reading, path: "/v1/things/signed-in", access: "signed_in" },
  member: { ...reading, path: "/v1/things/member", access: "member" },
  owner: { ...reading, path: "/v1/things/owner", access: "owner" },
  tenantOwner: { ...reading, path: "/v1/tenants/{id}/things", access: "tenant_owner" },
  platformAdmin: { ...reading, path: "/v1/things/platform-admin", access: "platform_admin" },
  create: { ...creating, path: "/v1/things", access: "member", idempotent: true },
  createSecret: { ...creating, path: "/v1/secrets", access: "member", idempotent: true, answer: "shown_once" },
  createAgain: { ...creating, path: "/v1/things/{kind}/again", access: "signed_in", idempotent: true },
  createAlways: { ...creating, path: "/v1/events", access: "signed_in" },
} as const satisfies Record<string, Route>;

type Creating = { name: string; caller: ControlCaller };

/** @param create what each creation does; its id and the body's name tell which one it is. */
export function thingHandler(dependencies: ControlDependencies, create: (id: string, request: Creating) => object) {
  const { newId } = dependencies;
  const creation = async ({ body, caller }: { body: { name: string }; caller: ControlCaller }) => ({
    newId: newId(),
    create: async (id: string) => ({ id, by: caller.sub, ...create(id, { name: body.name, caller }) }),
  });
  const things: Operations<typeof thingRoutes> = {
    signedIn: async () => ({}),
    member: async ({ caller: { role, tenantId } }) => ({ role, tenant_id: tenantId }),
    owner: async ({ caller: { role, tenantId } }) => ({ role, tenant_id: tenantId }),
    tenantOwner: async ({ caller: { tenantId, tenant } }) => ({ tenant_id: tenantId, name: tenant.name }),
    platformAdmin: async ({ caller }) => ({ role: caller.platformRole }),
    create: creation,
    createSecret: creation,
    createAgain: creation,
    createAlways: async ({ caller, body }) => ({ id: body.name, by: caller.sub }),
  };
  const nouns = { tenants: noun(tenantRoutes, tenantOperations), things: noun(thingRoutes, () => things) };
  const endpoints = implement(nouns, dependencies);
  return serve(endpoints, dependencies);
}
