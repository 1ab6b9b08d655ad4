// What must not compile where routes of the control plane meet their operations. Nothing here runs.
import * as z from "zod";
import type { Creation } from "../../domain/kernel/idempotency.ts";
import type { Tenant } from "../../domain/workspace/tenant.ts";
import { implement } from "../../handlers/control/routing/implement.ts";
import { noun } from "../../handlers/control/routing/noun.ts";
import type { Operations } from "../../handlers/control/routing/operation.ts";
import type { Route } from "../../handlers/control/routing/route.ts";
import { writtenBy } from "../../handlers/control/routing/writers.ts";

const thing = z.object({ name: z.string(), size: z.number().default(1) });
const things = {
  getThing: {
    method: "GET",
    path: "/v1/things/{thing_id}",
    access: "member",
    summary: "A thing",
    response: thing,
    example: {},
  },
  createThing: {
    method: "POST",
    path: "/v1/things",
    access: "signed_in",
    idempotent: true,
    summary: "Create a thing",
    body: writtenBy(thing, { name: "caller", size: "owner" }),
    status: 201,
    response: thing,
    example: {},
  },
  deleteThings: {
    method: "DELETE",
    path: "/v1/tenants/{id}/things",
    access: "tenant_owner",
    summary: "Delete all things of a workspace",
    example: {},
  },
} as const satisfies Record<string, Route>;

type Things = Operations<typeof things>;

const getThing: Things["getThing"] = async ({ caller, parameters }) => {
  const role: "owner" | "developer" = caller.role;
  return { name: `${parameters.thing_id} of ${caller.tenantId} for the ${role}` };
};
const createThing: Things["createThing"] = async ({ body }) => ({
  newId: "1",
  create: async (id) => ({ name: `${body.name} ${id}`, size: body.size }),
});
const deleteThings: Things["deleteThings"] = async ({ caller, parameters }) => {
  const tenant: Tenant = caller.tenant;
  void [tenant, parameters.id];
  return undefined;
};

const nouns = { things: noun(things, (_: { store: string }) => ({ getThing, createThing, deleteThings })) };
implement(nouns, { store: "memory" });

async function creation<T>(newId: string, answer: T): Promise<Creation<T>> {
  return { newId, create: async () => answer };
}

// @ts-expect-error an operation is missing
noun(things, () => ({ getThing, createThing }));

// @ts-expect-error an operation without a route
noun(things, () => ({ getThing, createThing, deleteThings, renameThing: getThing }));

// @ts-expect-error a dependency of the operations is missing
implement(nouns, {});

// @ts-expect-error an answer of another type than the route's response
export const wrongAnswer: Things["getThing"] = async () => ({ name: 1 });

// @ts-expect-error an answer where the route has a response, and none is given
export const noAnswer: Things["getThing"] = async () => undefined;

// @ts-expect-error an idempotent operation gives what creates, so that it is done once
export const createsAtOnce: Things["createThing"] = async ({ body }) => ({ name: body.name, size: body.size });

// @ts-expect-error a parameter that the path does not have
export const wrongParameter: Things["getThing"] = async ({ parameters }) => ({ name: parameters.other });

// @ts-expect-error a field that the body does not have
export const wrongField: Things["createThing"] = async ({ body }) => ({ newId: body.id, create: async () => body });

// @ts-expect-error who is only signed in has no role
export const wrongCaller: Things["createThing"] = ({ caller, body }) => creation(caller.role, body);

// @ts-expect-error an owner is told by the tenant that the path names, so the path has one
export const noTenant: Route = { ...things.deleteThings, path: "/v1/things" };

// @ts-expect-error an access rule that does not exist
export const wrongAccess: Route = { ...things.getThing, access: "anyone" };

// @ts-expect-error a body that names no writers
export const noWriters: Route = { ...things.createThing, body: thing };

// @ts-expect-error a route without an example
export const noExample: Route = { ...things.getThing, example: undefined };
