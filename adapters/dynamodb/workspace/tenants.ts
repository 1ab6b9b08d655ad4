// Tenants in the table: read by id or slug, and the rows that their creation writes.
import { contention, Refusal } from "../../../domain/kernel/refusal.ts";
import type { FreeGrants } from "../../../domain/provisioning/free-grants.ts";
import { creationEntry, type TenantEffects } from "../../../domain/provisioning/tenant-creation.ts";
import {
  freeCreditTokens,
  outsideSteps,
  type SetupStep,
  setupSteps,
  type Tenant,
  type TenantStore,
} from "../../../domain/workspace/tenant.ts";
import { creditRecord } from "../budget/credit.record.ts";
import { contended, hasKey, withRetries } from "../client.ts";
import { activeTenantRecord, membershipRecord } from "../people/user.record.ts";
import { givenRecord } from "../provisioning/given.record.ts";
import { manifestRecord } from "../provisioning/manifest.record.ts";
import type { Rows } from "../rows.ts";
import { absent, attribute, change, type Item, put, update, when } from "../write.ts";
import { auditPut } from "./audit.ts";
import { directoryRecord } from "./directory.record.ts";
import { ownedTenantsRecord } from "./owned-tenants.record.ts";
import { tenantAttribute } from "./owned-tenants.ts";
import { slugReservationRecord } from "./slug-reservation.record.ts";
import { tenantRecord } from "./tenant.record.ts";

/** Position of the slug's reservation in the creation's transaction. */
const slugIsTaken = 1;

export function tenantStore(rows: Rows): TenantStore {
  return {
    get: async (tenantId) => tenantOf(await rows.get(tenantRecord.key({ tenant_id: tenantId }))),

    async many(tenantIds) {
      const item = await rows.wholeBatch(tenantIds.map((tenantId) => tenantRecord.key({ tenant_id: tenantId })));
      return tenantIds.flatMap((tenantId) => tenantOf(item(tenantRecord.key({ tenant_id: tenantId }))) ?? []);
    },

    async getBySlug(slug) {
      // The reservation says whose the address is: several writers may set the index keys of a tenant's row.
      const reservation = await rows.get(slugReservationRecord.key({ slug }));
      if (!reservation) return undefined;
      const key = tenantRecord.key({ tenant_id: String(reservation.tenant_id) });
      const { gsi1_pk: pk, gsi1_sk: prefix } = tenantRecord.indexKey({ slug });
      for await (const page of rows.pages({ pk, prefix, by: "index" })) {
        const item = page.find((one) => hasKey(one, key));
        if (item) return tenantOf(item);
      }
      return undefined;
    },

    isSlugTaken: async (slug) => (await rows.get(slugReservationRecord.key({ slug }))) !== undefined,
  };
}

type CreatorOptions = {
  /** The app client in which the new tenant becomes the owner's active workspace. */
  clientId: string;
  clock: () => number;
  /** Most workspaces of one owner. Deleted ones count until they are purged. */
  maxOwned: number;
  /** Undefined where each workspace gets its free credit at once. */
  freeGrants?: FreeGrants | undefined;
};

/** Options of the last two steps, which the request carries out, or the reconciliation after a request that was cut off. */
type AccessOptions = { clientId?: string; clock: () => number; freeGrants?: FreeGrants | undefined };

/** The steps of a tenant's creation that write rows of the table. */
export function tenantRows(
  rows: Rows,
  { maxOwned, ...options }: CreatorOptions,
): Pick<TenantEffects, "tenant_row" | "free_credit" | "membership"> {
  const tenant = async (tenantId: string) => tenantOf(await rows.get(tenantRecord.key({ tenant_id: tenantId })));
  return {
    ...accessRows(rows, options),

    async tenant_row(draft) {
      const { tenant_id, slug, owner_sub, status, created_at } = draft;
      const reservation = slugReservationRecord.key({ slug });
      const place = update(
        ownedTenantsRecord.key({ owner_sub }),
        change`SET ${attribute(tenantAttribute(tenant_id))} = ${created_at} ADD owned ${1}`,
        when`(attribute_not_exists(owned) OR owned < ${maxOwned}) AND attribute_not_exists(is_closing)`,
      );
      const holder = async () => {
        const item = await rows.get(reservation);
        return item && tenant(String(item.tenant_id));
      };
      const items = [
        putNew(itemOf(draft)),
        putNew({ ...reservation, tenant_id }),
        place,
        putNew({
          ...directoryRecord.key({ tenant_id }),
          ...directoryRecord.indexKey({ status, since: created_at, tenant_id }),
          ...directoryRecord.activeIndexKey({ since: created_at, tenant_id }),
          tenant_id,
        }),
        ...outsideSteps.map((kind) =>
          putNew({
            ...manifestRecord.key({ tenant_id, resource: kind }),
            kind,
            state: "intended",
            intended_at: created_at,
          }),
        ),
        auditPut(creationEntry(draft)),
      ];
      let isRepeat = false;
      const failed = await withRetries(async () => {
        // Creations that want the same address conflict until one of them has it; the others need not write any more.
        if (isRepeat && (await holder())) return slugIsTaken;
        isRepeat = true;
        return rows.attempt(items);
      }, contended);
      if (failed === undefined) return draft;
      if (failed === 0) return (await tenant(tenant_id)) ?? draft;
      if (failed === 2) {
        if ((await rows.get(ownedTenantsRecord.key({ owner_sub })))?.is_closing) {
          const reason = "Your last workspace is being purged, and what belongs to you with it";
          throw new Refusal("purge_running", `${reason}: try again in a few minutes`);
        }
        const advice = "purged ones do not count, deleted ones do until then";
        throw new Refusal("workspace_limit_reached", `You own ${maxOwned} workspaces, which is the most; ${advice}`);
      }
      const there = await holder();
      if (there) return there;
      throw contention("name", `the address "${slug}" is being given up by another tenant, try again`);
    },
  };
}

/** The steps that write the free credit and the owner's membership. */
export function accessRows(
  rows: Rows,
  { clientId, clock, freeGrants }: AccessOptions,
): Pick<TenantEffects, "free_credit" | "membership"> {
  const now = () => new Date(clock()).toISOString();
  const done = (tenantId: string, step: SetupStep) =>
    update(
      tenantRecord.key({ tenant_id: tenantId }),
      change`DELETE setup_pending ${new Set([step])}`,
      when`contains(setup_pending, ${step})`,
    );
  const active = (sub: string, clientId: string, tenantId: string) =>
    put({ ...activeTenantRecord.key({ sub, client_id: clientId }), client_id: clientId, tenant_id: tenantId });
  return {
    async free_credit({ tenant_id }) {
      const credit = { granted_tokens: freeCreditTokens, spent: 0, committed: 0, created_at: now() };
      const grant = [done(tenant_id, "free_credit"), putNew({ ...creditRecord.key({ tenant_id }), ...credit })];
      // Credit of an owner with a payment method is not of the day's: the owner pays for what comes after it.
      const isCounted =
        freeGrants && !(await rows.get(tenantRecord.key({ tenant_id }), "has_payment_method"))?.has_payment_method;
      if (!isCounted) return void (await rows.transact(grant));
      const isFull =
        freeGrants.mostADay === 0 || (await rows.transact([...grant, given(clock(), freeGrants)])) === grant.length;
      if (!isFull) return undefined;
      freeGrants.refused(tenant_id);
      return "pending";
    },

    async membership({ tenant_id, owner_sub: sub }) {
      const since = { created_at: now(), activated_at: now() };
      const membership = { sub, tenant_id, tenant_role: "owner", status: "active", ...since };
      await rows.transact([
        done(tenant_id, "membership"),
        putNew({
          ...membershipRecord.key({ sub, tenant_id }),
          ...membershipRecord.indexKey({ tenant_id, created_at: membership.created_at, sub }),
          ...membership,
        }),
        ...(clientId === undefined ? [] : [active(sub, clientId, tenant_id)]),
      ]);
    },
  };
}

/** Counts a credit that is given, up to the most of the day (UTC). */
function given(now: number, { mostADay }: FreeGrants) {
  const row = givenRecord.key({ day: new Date(now).toISOString().slice(0, 10) });
  const counted = change`SET expires_at = ${givenRecord.expiresAt(now)} ADD given ${1}`;
  return update(row, counted, when`attribute_not_exists(given) OR given < ${mostADay}`);
}

const putNew = (item: Item) => put(item, absent);

// The pending steps are a set in the table, so that a step removes itself without reading the others. DynamoDB stores no empty set.

function itemOf({ setup_state, ...tenant }: Tenant): Item {
  const setupPending = new Set(setup_state.pending);
  return {
    ...tenantRecord.key({ tenant_id: tenant.tenant_id }),
    ...tenantRecord.indexKey({ slug: tenant.slug }),
    ...tenant,
    setup_pending: setupPending,
  };
}

export function tenantOf(item: Item | undefined): Tenant | undefined {
  if (!item) return undefined;
  const { setup_pending, invitation_mails: _mails, ...tenant } = tenantRecord.parse(item);
  return { ...tenant, setup_state: { pending: setupSteps.filter((step) => setup_pending?.has(step)) } };
}
