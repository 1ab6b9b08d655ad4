// The one table: its attributes, its index and every key. docs/storage.md shows each with an example and its life time.

export const table = {
  partitionKey: "pk",
  sortKey: "sk",
  timeToLive: "expires_at",
  index: { name: "gsi1", partitionKey: "gsi1_pk", sortKey: "gsi1_sk" },
} as const;

export type Key = { pk: string; sk: string };

type RollupKey = { tenant_id: string; hour: string; caller_id: string; model: string };

const key = (pk: string, sk: string): Key => ({ pk, sk });

export const keys = {
  tenant: (tenantId: string) => key(`TENANT#${tenantId}`, "TENANT"),
  slugReservation: (slug: string) => key(`SLUG#${slug}`, "SLUG"),
  credit: (tenantId: string) => key(`TENANT#${tenantId}`, "CREDIT"),
  manifest: (tenantId: string, kind: string) => key(`TENANT#${tenantId}`, `MANIFEST#${kind}`),
  profile: (sub: string) => key(`USER#${sub}`, "PROFILE"),
  membership: (sub: string, tenantId: string) => key(`USER#${sub}`, `TENANT#${tenantId}`),
  activeTenant: (sub: string, clientId: string) => key(`USER#${sub}`, `ACTIVE#${clientId}`),
  grant: (tenantId: string, sub: string) => key(`TENANT#${tenantId}`, `GRANT#${sub}`),
  apiKey: (keyId: string) => key(`KEY#${keyId}`, "KEY"),
  idempotency: (sub: string, idempotencyKey: string) => key(`IDEMPOTENCY#${sub}`, idempotencyKey),
  /** What a caller spent, reserved and has in flight in one month. */
  spending: (tenantId: string, callerId: string, month: string) =>
    key(`SPENDING#${tenantId}#${callerId}`, `MONTH#${month}`),
  /** Says that a caller has a spending item in the month, so that reclaim finds it without a scan. */
  activeCaller: (tenantId: string, callerId: string, month: string) =>
    key(`SPENDERS#${month}`, `${tenantId}#${callerId}`),
  rollups: (tenantId: string, month: string) => ({ pk: `ROLLUP#${tenantId}#${month}` }),
  rollup: ({ tenant_id, hour, caller_id, model }: RollupKey) =>
    key(`ROLLUP#${tenant_id}#${hour.slice(0, 7)}`, `${hour}#${caller_id}#${model}`),
  /** How far the rollups are. */
  rollupProgress: () => key("METER", "ROLLUPS"),
  ledger: (tenantId: string, hour: string, requestId: string) => key(`LEDGER#${tenantId}#${hour}`, requestId),
} as const;

export const index = {
  slug: (slug: string) => ({ gsi1_pk: `SLUG#${slug}`, gsi1_sk: "TENANT" }),
  email: (email: string) => ({ gsi1_pk: `EMAIL#${email.toLowerCase()}`, gsi1_sk: "PROFILE" }),
  member: (tenantId: string, sub: string) => ({ gsi1_pk: `TENANT#${tenantId}`, gsi1_sk: `USER#${sub}` }),
  apiKey: (tenantId: string, keyId: string) => ({ gsi1_pk: `TENANT#${tenantId}`, gsi1_sk: `KEY#${keyId}` }),
} as const;
