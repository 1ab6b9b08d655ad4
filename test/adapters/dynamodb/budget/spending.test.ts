// Admission and settlement over the table in memory, many at once: none of the instances knows what the others have seen. The single
// writes are in spending-admission, -changes, -settlement, -credit and -rate.
import { beforeEach, expect, test } from "@jest/globals";
import type { Grant } from "../../../../domain/access/grant.ts";
import {
  aCaller,
  admissionOver,
  aGrant,
  asking,
  aTenant,
  costing,
  costingAtMost,
  ofTokens,
} from "../../../support/accounting/admissions.ts";
import { MemoryAccounting } from "../../../support/accounting/memory-accounting.ts";
import { aKey, unsound } from "../../../support/accounting/spending-table.ts";
import { FakeTime } from "../../../support/fake-time.ts";

let accounting: MemoryAccounting;
let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
  accounting = new MemoryAccounting(() => time.clock());
});

const rules = () => admissionOver(accounting, time);

function theCaller(grant: Partial<Grant>) {
  const tenant = aTenant({ tenant_id: aKey().tenantId });
  return aCaller({ tenant, grant: aGrant(grant) });
}

const fulfilled = <T>(tries: PromiseSettledResult<T>[]) =>
  tries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
const codesOf = (tries: PromiseSettledResult<unknown>[]) =>
  new Set(tries.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : [])));

test("sixty requests under one cap overshoot it by at most one request", async () => {
  const { makeAdmission, settlements } = rules();
  const caller = theCaller({ monthly_budget_usd: 0.2, max_in_flight: 100 });
  const cost = 50_000_000;
  const tries = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      makeAdmission(accounting.newInstance()).admit(caller, asking(`burst-${index}`, costingAtMost(cost))),
    ),
  );
  const admitted = fulfilled(tries);
  expect(admitted.length).toBeGreaterThanOrEqual(4);
  const [first] = admitted;
  if (!first) throw new Error("nobody was admitted");
  expect(unsound(accounting.of(first.key))).toEqual([]);
  for (const each of admitted) await settlements.settle(each, costing(cost));
  const state = accounting.of(first.key);
  expect(unsound(state)).toEqual([]);
  expect(state.spent).toBe(admitted.length * cost);
  expect(state.spent).toBeLessThanOrEqual(200_000_000 + cost);
  for (const code of codesOf(tries)) expect(["budget_reserved", "rate_limited", "concurrency_limited"]).toContain(code);
});

test("a rate limit with a burst of n admits n calls", async () => {
  const { makeAdmission } = rules();
  const caller = theCaller({ rate_limit: { burst: 7, per_minute: 1 } });
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      makeAdmission(accounting.newInstance()).admit(caller, asking(`rate-${index}`, costingAtMost(1))),
    ),
  );
  expect(fulfilled(tries)).toHaveLength(7);
});

test("many callers of a tenant on free credit use at most twice the credit", async () => {
  const { makeAdmission, settlements } = rules();
  const key = aKey();
  accounting.grant(key.tenantId);
  const tenant = aTenant({ tenant_id: key.tenantId, has_payment_method: false });
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      makeAdmission(accounting.newInstance()).admit(
        aCaller({ tenant, callerId: `caller-${index % 4}` }),
        asking(`credit-${index}`, ofTokens(2_000, 1_000)),
      ),
    ),
  );
  const admitted = fulfilled(tries);
  expect(admitted.length).toBeGreaterThanOrEqual(1);
  expect(accounting.creditOf(key.tenantId).committed).toBe(admitted.length * 3_000);
  for (const each of admitted) await settlements.settle(each, costing(1, 3_000));
  const { spent, committed, reservations } = accounting.creditOf(key.tenantId);
  expect({ spent, committed, reservations }).toEqual({
    spent: admitted.length * 3_000,
    committed: admitted.length * 3_000,
    reservations: [],
  });
  expect(spent).toBeLessThanOrEqual(20_000);
});
