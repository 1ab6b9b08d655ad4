// Callers over HTTP: people and service accounts with their names and budgets. Whoever shows a caller's id takes its name from here.
import type { Actor } from "../../../domain/access/access-rule.ts";
import { isServiceAccount } from "../../../domain/access/api-key.ts";
import type { Member } from "../../../domain/access/member.ts";
import type { Page, PageRequest } from "../../../domain/kernel/page.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import { together } from "../../../domain/kernel/together.ts";
import { latestUse } from "../../../domain/keys/last-use.ts";
import { hasGoodKey, type ServiceAccount } from "../../../domain/keys/service-account.ts";
import { monthBudget } from "../../../domain/reporting/month-budget.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Answer, ControlRequest, Operations } from "../routing/operation.ts";
import type { callerRoutes } from "./callers.routes.ts";

type Dependencies = Pick<ControlDependencies, "members" | "serviceAccounts" | "lastUses" | "spending" | "clock">;
type Filter = ControlRequest<typeof callerRoutes.listCallers>["query"]["filter"];

type Shown = Answer<typeof callerRoutes.listCallers>["data"][number];

/** A caller as the stores know it. What it spent is kept elsewhere. */
type Found = Pick<Shown, "kind" | "name" | "status"> & {
  callerId: string;
  /** Decimal USD. */
  limit: number | undefined;
  keyIds: string[];
};

/** How a cursor among service accounts begins; one among people begins with the other. */
const [ofPeople, ofAccounts] = ["p", "s"];

export function callerOperations(deps: Dependencies): Operations<typeof callerRoutes> {
  const { members, serviceAccounts, lastUses, spending, clock } = deps;

  return {
    async listCallers({ caller, query: { page, filter } }) {
      const { items, next } = await found(caller, filter, page);
      const now = clock();
      const [used, spentBy] = await together([
        lastUses.of(items.flatMap(({ keyIds }) => keyIds)),
        spending.of(
          caller.tenantId,
          items.map(({ callerId }) => callerId),
          monthOf(now),
        ),
      ]);
      const shown = items.map(({ callerId, kind, name, status, limit, keyIds }) => ({
        ...{ caller_id: callerId, kind, name, status },
        last_used_at: latestUse(used, keyIds),
        ...monthBudget(spentBy(callerId), limit, now),
      }));
      return pageAnswer({ items: shown, next });
    },
  };

  async function found({ tenantId, role, sub }: Actor, { kind, caller_id: ids }: Filter, page: PageRequest) {
    const isOwner = role === "owner";
    const asked = isOwner ? ids : (ids ?? [sub]).filter((id) => id === sub);
    const isOfKind = (one: Found) => kind === undefined || one.kind === kind;
    if (asked) return { items: (await these(tenantId, asked)).filter(isOfKind), next: undefined };
    return kind === "service_account" ? accountsAfter(tenantId, page) : all(tenantId, page, kind === "person");
  }

  async function these(tenantId: string, ids: readonly string[]): Promise<Found[]> {
    const { accounts = [], people = [] } = Object.groupBy(ids, (id) => (isServiceAccount(id) ? "accounts" : "people"));
    const [ofPeople, ofAccounts] = await together([
      members.many(tenantId, people),
      serviceAccounts.many(tenantId, accounts),
    ]);
    return [...ofPeople.map(person), ...ofAccounts.map(account)];
  }

  /** People, and once they are all listed service accounts. */
  async function all(tenantId: string, { limit, after }: PageRequest, peopleOnly: boolean): Promise<Page<Found>> {
    if (after?.startsWith(ofAccounts) && !peopleOnly) return accountsAfter(tenantId, { limit, after });
    const people = await members.list(tenantId, undefined, { limit, after: after?.slice(1) });
    const items = people.items.map(person);
    if (people.next !== undefined) return { items, next: ofPeople + people.next };
    if (peopleOnly) return { items, next: undefined };
    const left = limit - items.length;
    const rest = await accountsAfter(tenantId, { limit: Math.max(1, left), after: undefined });
    if (left > 0) return { items: [...items, ...rest.items], next: rest.next };
    return { items, next: rest.items.length > 0 ? ofAccounts : undefined };
  }

  async function accountsAfter(tenantId: string, { limit, after }: PageRequest): Promise<Page<Found>> {
    const { items, next } = await serviceAccounts.list(tenantId, { limit, after: after?.slice(1) || undefined });
    return { items: items.map(account), next: next && ofAccounts + next };
  }

  function account(found: ServiceAccount): Found {
    return {
      callerId: found.callerId,
      kind: "service_account",
      name: found.name,
      status: hasGoodKey(found, clock()) ? "active" : "removed",
      limit: found.monthlyBudgetUsd,
      keyIds: [...found.keyEnds.keys()],
    };
  }
}

function person({ membership, email, grant, keyIds }: Member): Found {
  return {
    callerId: membership.sub,
    kind: "person",
    name: email,
    status: membership.status ?? "invited",
    limit: grant?.monthly_budget_usd,
    keyIds,
  };
}
