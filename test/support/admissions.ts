// Admission and settlement over accounting of a test's choice, and callers to admit.

import type { Grant } from "../../domain/access/grant.ts";
import { Admission, type Caller } from "../../domain/admission.ts";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";
import type { LedgerStore } from "../../domain/spending/ledger.ts";
import type { Reservation } from "../../domain/spending/reservation.ts";
import { Reservations } from "../../domain/spending/reservations.ts";
import { Settlements } from "../../domain/spending/settlement.ts";
import type { SpendingStore } from "../../domain/spending/spending.ts";
import type { Tenant } from "../../domain/tenancy/tenant.ts";
import type { FakeTime } from "./fake-time.ts";

export const tenantId = "11111111-1111-4111-8111-111111111111";

export function aTenant(changes: Partial<Tenant> = {}): Tenant {
  return {
    tenant_id: tenantId,
    name: "Acme",
    slug: "acme",
    owner_sub: "owner",
    tier: "starter",
    status: "active",
    has_payment_method: true,
    default_region: "eu-central-1",
    created_at: "2026-11-01T00:00:00.000Z",
    setup_state: { pending: [] },
    ...changes,
  };
}

export function aGrant(changes: Partial<Grant> = {}): Grant {
  return {
    allowed_models: ["*"],
    allowed_regions: ["eu-central-1", "eu-central-2", "us-east-1"],
    monthly_budget_usd: 100,
    budget_enforcement: "reserved",
    allow_global_profiles: false,
    ...changes,
  };
}

export function aCaller(changes: Partial<Caller> = {}): Caller {
  return { tenant: aTenant(), callerId: "dev", grant: aGrant(), ...changes };
}

/** What a request asks to reserve. */
export function asking(
  requestId: string,
  time: FakeTime,
  changes: Partial<Reservation> = {},
): Omit<Reservation, "admittedAt" | "creditTokens"> {
  return {
    requestId,
    reservedCost: 10,
    bounds: { input: 4, output: 3 },
    expiresAt: time.clock() + 960_000,
    model: "claude-sonnet-5",
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    ...changes,
  };
}

type Accounting = SpendingStore & LedgerStore;

/** @param options.unreachable throws if admission asks for what it needs no answer from. */
export function admissionOver(
  accounting: Accounting,
  time: FakeTime,
  options: {
    maxInFlight?: number;
    burst?: number;
    perMinute?: number;
    enforceFreeCredit?: boolean;
    pause?: (milliseconds: number) => Promise<void>;
  } = {},
) {
  const { maxInFlight = 1_000, burst = 10_000, perMinute = 100_000, enforceFreeCredit = true } = options;
  const { pause = async () => {} } = options;
  const settlements = new Settlements({ ledger: accounting, spending: accounting, clock: time.clock });
  const unreachable = () => {
    throw new Error("not part of steps 11 and 12");
  };
  /** @param spending of an instance of its own, where that makes a difference. */
  const makeAdmission = (spending: Pick<SpendingStore, "admit"> = accounting) =>
    new Admission({
      tenantBySlug: unreachable,
      grantOf: unreachable,
      tokens: { verify: unreachable },
      keys: { match: unreachable },
      reservations: new Reservations({
        spending,
        reclaim: (key, reservation) => settlements.reclaim(key, reservation),
        release: async (admitted) => settlements.release(admitted).catch(() => {}),
        clock: time.clock,
        pause,
      }),
      catalog: parseCatalog(catalogData),
      proxyDomain: "proxy.localhost",
      apiUrl: "https://api.localhost",
      scopePrefix: "platform",
      defaults: { maxInFlight, rate: { burst, perMinute } },
      enforceFreeCredit,
      clock: time.clock,
    });
  return { admission: makeAdmission(), settlements, makeAdmission };
}

/** Cost and tokens as the model host would say them. */
export function costing(cost: number, tokens = 0) {
  const usage = { input: tokens, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
  return { usage, source: "final", cost } as const;
}
