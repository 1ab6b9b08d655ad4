// The workspace whose keys are used: the rows of the table that a proxied call reads, in the product's own shapes.
import { randomBytes, randomUUID } from "node:crypto";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { hashApiKey } from "../adapters/bcrypt.ts";
import { grantRecord } from "../adapters/dynamodb/access/grant.record.ts";
import { spendingRecord } from "../adapters/dynamodb/budget/spending.record.ts";
import { reservationName, stored } from "../adapters/dynamodb/budget/stored-reservation.ts";
import { apiKeyRecord } from "../adapters/dynamodb/keys/api-key.record.ts";
import { placeOf } from "../adapters/dynamodb/table.ts";
import { slugReservationRecord } from "../adapters/dynamodb/workspace/slug-reservation.record.ts";
import { tenantRecord } from "../adapters/dynamodb/workspace/tenant.record.ts";
import type { ApiKey } from "../domain/access/api-key.ts";
import type { GrantRecord } from "../domain/access/grant.ts";
import { mintApiKey, mintApiKeyId } from "../domain/access/key-text.ts";
import type { Reservation } from "../domain/budget/reservation.ts";
import type { Tenant } from "../domain/workspace/tenant.ts";

export type Workspace = {
  slug: string;
  /** One for each caller. */
  apiKeys: string[];
  /** In DynamoDB's JSON. `spending` is a caller's item of the month as admission's answer shows it. */
  items: { tenant: Item; address: Item; keys: Item[]; grants: Item[]; spending: Item };
};

export type Item = Record<string, AttributeValue>;

/** As many callers as a run ever has at once. */
export const callerCount = 16;

const slug = "bench";
const now = new Date().toISOString();

/** Limits that nobody meets, all of them checked. */
export const limits = {
  allowed_models: ["*"],
  allowed_regions: ["eu-central-1", "us-east-1"] satisfies GrantRecord["allowed_regions"],
  monthly_budget_usd: 1_000_000,
  rate_limit: { burst: 10_000, per_minute: 3_600 },
  max_in_flight: 20,
};

/** A tenant that has paid for long, and people with a key each, which spends the person's grant. */
export async function createWorkspace(): Promise<Workspace> {
  const { setup_state: _none, ...tenant } = tenantRow();
  const { tenant_id } = tenant;
  const callers = await Promise.all(Array.from({ length: callerCount }, () => createCaller(tenant)));
  return {
    slug,
    apiKeys: callers.map(({ apiKey }) => apiKey),
    items: {
      tenant: marshall({ ...tenantRecord.key({ tenant_id }), ...tenantRecord.indexKey({ slug }), ...tenant }),
      address: marshall({ ...slugReservationRecord.key({ slug }), tenant_id }),
      keys: callers.map(({ key }) =>
        marshall({
          ...apiKeyRecord.key({ key_id: key.key_id }),
          ...apiKeyRecord.indexKey({ tenant_id, created_at: "", key_id: placeOf(key.created_at, key.key_id) }),
          ...key,
        }),
      ),
      grants: callers.map(({ grant }) =>
        marshall({ ...grantRecord.key({ tenant_id, dev_sub: grant.dev_sub }), ...grant }),
      ),
      spending: marshall({
        ...spendingRecord.key({ tenant_id, caller_id: randomUUID(), month: now.slice(0, 7) }),
        ...spending(),
      }),
    },
  };
}

async function createCaller({ tenant_id, owner_sub }: Pick<Tenant, "tenant_id" | "owner_sub">) {
  const sub = randomUUID();
  const minted = mintApiKey("live", mintApiKeyId(randomBytes), randomBytes);
  const key: ApiKey = {
    key_id: minted.key_id,
    tenant_id,
    name: "Benchmark",
    mode: "live",
    hash: await hashApiKey(minted.key),
    last4: minted.last4,
    role: "developer",
    caller_id: sub,
    scope: "proxy:invoke",
    status: "active",
    version: 1,
    created_by: sub,
    created_at: now,
  };
  const grant: GrantRecord = {
    tenant_id,
    dev_sub: sub,
    ...limits,
    budget_enforcement: "reserved",
    allow_global_profiles: false,
    updated_at: now,
    updated_by: owner_sub,
  };
  return { apiKey: minted.key, key, grant };
}

function tenantRow(): Tenant {
  return {
    tenant_id: randomUUID(),
    name: "Bench",
    slug,
    owner_sub: randomUUID(),
    // An established workspace (domain/workspace/trust.ts) has no limit of what may be unpaid, so that no call draws a slice of it.
    tier: "pro",
    status: "active",
    has_payment_method: true,
    default_region: "eu-central-1",
    created_at: now,
    setup_state: { pending: [] },
  };
}

/** With one reservation, as a caller's item has while a call of it runs. */
function spending() {
  const reservation: Reservation = {
    requestId: randomUUID(),
    amount: 20_000_000,
    version: 0,
    leaseEndsAt: Date.parse("2099-01-01T00:00:00Z"),
    overdraft: false,
    admittedAt: Date.now(),
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    bounds: { input: 3_000, output: 1_000 },
    onCredit: false,
  };
  const state = { spent: 1_000_000, committed: 21_000_000, inflight: 1, tat: 1 };
  return { ...state, expires_at: 4_070_908_800, [reservationName(reservation.requestId)]: stored(reservation) };
}
