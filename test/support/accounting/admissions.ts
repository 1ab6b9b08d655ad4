// Admission and settlement over the accounting in memory, and callers to admit.
import type { Grant } from "../../../domain/access/grant.ts";
import { Admission, type Caller } from "../../../domain/admission.ts";
import { IdleSlices } from "../../../domain/budget/idle-slices.ts";
import type { AdmissionRequest } from "../../../domain/budget/plan.ts";
import { Reclaim } from "../../../domain/budget/reclaim.ts";
import { Settlements } from "../../../domain/budget/settlement.ts";
import type { SpendingStore } from "../../../domain/budget/spending.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { FakeTime } from "../fake-time.ts";
import type { MemoryAccounting } from "./memory-accounting.ts";

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

/** A request whose prompt costs 4 and each token of its answer 2, so that it costs 10 unless it is changed. */
export function asking(requestId: string, changes: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    requestId,
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    maxTokens: 3,
    thinkingTokens: 0,
    boundsAt: (output) => ({ input: 4, output }),
    costAt: (output) => 4 + 2 * output,
    ...changes,
  };
}

/** Makes a request cost so much at most, whatever its tokens. */
export function costingAtMost(amount: number): Partial<AdmissionRequest> {
  return { costAt: () => amount };
}

/** Makes a request of so many tokens. */
export function ofTokens(input: number, maxTokens: number): Partial<AdmissionRequest> {
  return { maxTokens, boundsAt: (output) => ({ input, output }) };
}

/** @param options.unreachable throws if admission asks for what it needs no answer from. */
export function admissionOver(
  accounting: Pick<MemoryAccounting, "spending" | "idleSlices" | "ledger" | "transactions" | "waitingRoom" | "crowd">,
  time: FakeTime,
  options: {
    maxInFlight?: number;
    burst?: number;
    perMinute?: number;
    enforceFreeCredit?: boolean;
    maxCrowd?: number;
    trialCap?: number;
    pause?: (milliseconds: number) => Promise<void>;
    freshGrant?: () => Grant | undefined;
  } = {},
) {
  const {
    maxInFlight = 1_000,
    burst = 10_000,
    perMinute = 100_000,
    enforceFreeCredit = true,
    maxCrowd = 1_000,
    trialCap,
  } = options;
  const { pause = (milliseconds) => time.advance(milliseconds), freshGrant = () => undefined } = options;
  const { ledger, transactions, waitingRoom } = accounting;
  const unreachable = () => {
    throw new Error("not part of steps 11 and 12");
  };
  /** @param spending of an instance of its own, where that makes a difference. */
  const make = (spending: SpendingStore = accounting.spending) => {
    const facts = { clock: time.clock, modelOf: () => "claude-sonnet-5" };
    const settlements = new Settlements({ ...facts, ledger, spending, transactions });
    const reclaim = new Reclaim({ ...facts, ledger, spending, transactions });
    const admission = new Admission({
      tenantBySlug: unreachable,
      grantOf: unreachable,
      freshGrantOf: async () => freshGrant(),
      freshGrantIn: unreachable,
      tokens: { verify: unreachable },
      keys: { match: unreachable },
      budget: {
        spending,
        reclaim,
        idleSlices: new IdleSlices({ store: accounting.idleSlices, clock: time.clock }),
        waitingRoom,
        release: (settled) => settlements.release(settled).catch(() => {}),
        giveUp: ({ key, reservation }) => settlements.giveUp(key, reservation).catch(() => {}),
        clock: time.clock,
        pause,
        jitter: () => 1,
      },
      crowd: accounting.crowd,
      maxCrowd,
      catalog: parseCatalog(catalogData),
      proxyDomain: "proxy.localhost",
      consoleUrl: "https://console.localhost",
      scopePrefix: "platform",
      defaults: { maxInFlight, rate: { burst, perMinute } },
      enforceFreeCredit,
      trialCap,
      clock: time.clock,
    });
    return { admission, settlements, reclaim };
  };
  return { ...make(), makeAdmission: (spending?: SpendingStore) => make(spending).admission };
}

/** Cost and tokens as the model host would say them. */
export function costing(cost: number, tokens = 0) {
  const usage = { input: tokens, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
  return { usage, source: "final", cost } as const;
}
