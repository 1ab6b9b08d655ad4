// Workspaces over HTTP: from their creation to their deletion, and the one in which the caller works.
import { requireOpen, requirePlatformRole } from "../../../domain/access/access-rule.ts";
import type { Page } from "../../../domain/kernel/page.ts";
import { fieldRefusal, Refusal } from "../../../domain/kernel/refusal.ts";
import { activeWorkspace } from "../../../domain/people/active-workspace.ts";
import { requireApproved } from "../../../domain/people/approval.ts";
import type { Membership } from "../../../domain/people/user.ts";
import { purgeRequested, secondsToSettle } from "../../../domain/provisioning/purge.ts";
import { createTenant } from "../../../domain/provisioning/tenant-creation.ts";
import { deleteTenant } from "../../../domain/provisioning/tenant-deletion.ts";
import { entryBy } from "../../../domain/workspace/audit.ts";
import { noteRead, noteSearch } from "../../../domain/workspace/platform-read.ts";
import { slugify } from "../../../domain/workspace/slugify.ts";
import { billingSteps, type SetupStep, type Tenant } from "../../../domain/workspace/tenant.ts";
import { draftTenant } from "../../../domain/workspace/tenant-body.ts";
import { changeTenant, patchedTenant, resumed, suspended } from "../../../domain/workspace/tenant-change.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { ControlRequest, Operations } from "../routing/operation.ts";
import type { tenantRoutes } from "./tenants.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  | ("audit" | "clock" | "log" | "mailer" | "newId" | "payments" | "purgeJobs" | "settings" | "setupJobs")
  | ("tenantChanges" | "tenantDirectory" | "tenantEffects" | "tenants" | "users")
>;
type Search = ControlRequest<typeof tenantRoutes.listTenants>["query"];

export function tenantOperations(deps: Dependencies): Operations<typeof tenantRoutes> {
  const { users, tenants, tenantEffects, tenantDirectory, purgeJobs, clock, newId, log, settings } = deps;

  return {
    async createTenant({ caller, body }) {
      await requireApproved(users, settings.approval, caller.sub);
      const effects = tenantEffects(caller.clientId);
      return {
        newId: newId(),
        async create(tenantId) {
          const made = await createTenant(effects, draftTenant(deps, { tenantId, sub: caller.sub }, body));
          return shown((await tenants.get(made.tenant_id)) ?? made);
        },
      };
    },

    async getMyTenant({ caller }) {
      const record = await users.record(caller.sub);
      const workspace = await activeWorkspace(record, caller.clientId, tenants);
      if (!workspace) throw await noWorkspace(record.memberships);
      const { tenant, membership } = workspace;
      if (tenant.status !== "suspended") return shown(tenant);
      const other = await activeWorkspace({ ...record, activeTenants: {} }, caller.clientId, tenants);
      if (other && other.tenant.status !== "suspended") return shown(other.tenant);
      throw isSuspended(seenBy(membership, tenant));
    },

    async listTenants({ caller, query: { page: asked, filter } }) {
      const filters = Object.values(filter).filter((value) => value !== undefined);
      if (filters.length > 0) {
        const platformRole = requirePlatformRole(caller.platformRole);
        if (filters.length > 1) throw fieldRefusal("invalid_request", "query", "must have one of slug, email, status");
        await noteSearch(deps, { ...caller, platformRole }, filter);
        const { items, next } = await search(filter, asked);
        return pageAnswer({ items: items.map(asFound), next });
      }
      const { limit, after } = asked;
      const { memberships } = await users.record(caller.sub);
      const own = memberships
        .filter((each) => each.status === "active" && (after === undefined || placeOf(each) < after))
        .sort((one, other) => (placeOf(one) > placeOf(other) ? -1 : 1));
      const page = new Map(own.slice(0, limit).map((membership) => [membership.tenant_id, membership]));
      const found = await tenants.many([...page.keys()]);
      const items = found.flatMap((tenant) => {
        const membership = page.get(tenant.tenant_id);
        return membership ? [{ ...shown(seenBy(membership, tenant)), tenant_role: membership.tenant_role }] : [];
      });
      const last = own[limit - 1];
      return pageAnswer({ items, next: own.length > limit && last ? placeOf(last) : undefined });
    },

    async previewAddress({ query: { name } }) {
      const slug = slugify(name);
      return { slug, proxy_url: addressOf(slug), is_free: !(await tenants.isSlugTaken(slug)) };
    },

    async getTenant({ caller: { tenant, sub, readsAs } }) {
      if (readsAs) await noteRead(deps, { sub, platformRole: readsAs }, tenant.tenant_id, "tenant.read");
      return shown(tenant);
    },

    async patchTenant({ caller, body, ifMatch }) {
      return shown(
        await changeTenant(deps, caller.tenant, {
          actor: caller.sub,
          actorRole: caller.manages === "as_platform_admin" ? "platform_admin" : undefined,
          action: "tenant.update",
          expected: ifMatch,
          change: (tenant) => {
            if (caller.manages === "as_owner") requireOpen(tenant.status, "active");
            return patchedTenant(tenant, body);
          },
        }),
      );
    },

    async activateTenant({ caller, parameters: { id } }) {
      const tenant = await existing(id);
      const membership = await users.membership(caller.sub, id);
      if (membership?.status !== "active") throw notThere(id);
      requireOpen(tenant.status, "suspended");
      const change = { action: "tenant.activate", target: id, after: { client_id: caller.clientId } } as const;
      const entry = entryBy(deps, { tenantId: id, sub: caller.sub }, change);
      if (!(await users.chooseTenant(caller.sub, caller.clientId, id, entry))) throw notThere(id);
      return shown(seenBy(membership, tenant));
    },

    async suspendTenant({ caller, parameters: { id }, body, ifMatch }) {
      const change = (tenant: Tenant) => suspended(tenant, body.reason, clock());
      const asked = { ...byAdmin(caller), action: "tenant.suspend", expected: ifMatch, change } as const;
      return shown(await changeTenant(deps, await existing(id), asked));
    },

    async resumeTenant({ caller, parameters: { id }, ifMatch }) {
      const asked = { ...byAdmin(caller), action: "tenant.resume", expected: ifMatch, change: resumed } as const;
      return shown(await changeTenant(deps, await existing(id), asked));
    },

    async deleteTenant({ caller, ifMatch }) {
      const { platform } = settings;
      await deleteTenant({ ...deps, platform }, caller.tenant, { actor: caller.sub, expected: ifMatch });
      return undefined;
    },

    async purgeTenant({ caller, parameters: { id } }) {
      const change = (tenant: Tenant) => purgeRequested(tenant, caller.sub);
      const tenant = await changeTenant(deps, await existing(id), {
        ...byAdmin(caller),
        action: "tenant.purge_request",
        change,
      });
      const seconds = secondsToSettle(tenant, clock());
      const job = purgeJobs.send({ tenant_id: id }, seconds);
      await job.catch((error) => log.problem("The purge's schedule will find this tenant", { tenant_id: id }, error));
      return { tenant_id: id, purges_at: new Date(clock() + seconds * 1000).toISOString() };
    },
  };

  async function search({ slug, email, status }: Search["filter"], page: Search["page"]): Promise<Page<Tenant>> {
    if (status !== undefined) return tenantDirectory.byStatus(status, page);
    const found = email === undefined ? tenantDirectory.bySlug(slug ?? "") : tenantDirectory.byOwnerEmail(email);
    return { items: await found, next: undefined };
  }

  async function existing(id: string): Promise<Tenant> {
    const tenant = await tenants.get(id);
    if (tenant) return tenant;
    throw notThere(id);
  }

  /** The refusal tells apart who has to choose, who has lost their only workspace by its deletion, who has left it or is invited, and who never had one. */
  async function noWorkspace(memberships: readonly Membership[]): Promise<Refusal> {
    const own = memberships.filter(({ status }) => status === "active").map(({ tenant_id }) => tenant_id);
    const found = await tenants.many(own);
    if (found.filter(({ status }) => status !== "deleted").length > 1) {
      const advice = "choose one of GET /v1/tenants with POST /v1/tenants/{id}/activate";
      return new Refusal("no_active_tenant", `You belong to several workspaces, ${advice}`);
    }
    const deleted = found.find(({ status }) => status === "deleted");
    const isInvited = memberships.some(({ status }) => status === undefined);
    const wasRemoved = memberships.some(({ status }) => status === "removed");
    const message = deleted
      ? `Your workspace "${deleted.name}" (${deleted.slug}) is deleted, create another one with POST /v1/tenants`
      : `You have no workspace ${wasRemoved ? "any more" : "yet"}, ${isInvited ? acceptAdvice : "create one with POST /v1/tenants"}`;
    return new Refusal("no_active_tenant", message);
  }

  /** What a search shows of a workspace that nobody has opened yet: a look at it is on its own trail. */
  function asFound({ tenant_id, name, slug, status, created_at }: Tenant) {
    return { tenant_id, name, slug, status, created_at, proxy_url: addressOf(slug) };
  }

  function shown(tenant: Tenant) {
    const { pending } = tenant.setup_state;
    const without: readonly SetupStep[] = deps.payments ? [] : billingSteps;
    const here = pending.filter((step) => !without.includes(step));
    return { ...tenant, setup_state: { pending: here }, proxy_url: addressOf(tenant.slug) };
  }

  function addressOf(slug: string): string {
    return `https://${slug}.${settings.proxyDomain}/${settings.vendorSegment}/v1`;
  }
}

const acceptAdvice =
  "and are invited to one of memberships of GET /v1/me: accept with POST /v1/me/invitations/{id}/accept, or create one with POST /v1/tenants";

/** The place of a workspace in the list of a person's own: newest first, by when the person came. */
function placeOf({ created_at, tenant_id }: Membership): string {
  return `${created_at}#${tenant_id}`;
}

/** Only the owner and the platform's administrators learn why a tenant is suspended. */
function seenBy({ tenant_role }: Pick<Membership, "tenant_role">, tenant: Tenant): Tenant {
  const { suspended_reason: _reason, ...rest } = tenant;
  return tenant_role === "owner" ? tenant : rest;
}

function byAdmin({ sub, platformRole }: { sub: string; platformRole: "platform_admin" }) {
  return { actor: sub, actorRole: platformRole };
}

function isSuspended({ tenant_id, name, slug, suspended_reason: reason }: Tenant): Refusal {
  const message = `Your workspace "${name}" (${slug}) is suspended${reason === undefined ? "" : `: ${reason}`}`;
  return new Refusal("tenant_suspended", message, { tenantId: tenant_id });
}

function notThere(id: string): Refusal {
  return fieldRefusal("not_found", "id", `there is no workspace ${id} here`);
}
