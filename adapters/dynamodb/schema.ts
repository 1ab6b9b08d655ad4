// The schema of the table: its attributes, its indexes, the kinds of its records and every key. docs/storage.md shows each with an
// example, its retention and the functions that may read and write it.
import type { Purse } from "../../domain/kernel/question-allowance.ts";
import { shardOf } from "../../domain/metering/shard.ts";

export const table = {
  partitionKey: "pk",
  sortKey: "sk",
  timeToLive: "expires_at",
  index: { name: "gsi1", partitionKey: "gsi1_pk", sortKey: "gsi1_sk" },
  /** Lists the callers of a month, outdated rollups, and unbilled usage. It holds only keys, and only of items with its attributes. */
  activeIndex: { name: "gsi2", partitionKey: "gsi2_pk", sortKey: "gsi2_sk" },
} as const;

/**
 * Prefixes of the partition keys by kind of record. IAM sees nothing of a key but its partition key, so rights are granted by that
 * key's prefix (`components/link.ts`). Kinds of record for which functions need different rights have different prefixes; one prefix
 * may have several writers. No prefix begins with another.
 */
export const records = {
  tenant: "TENANT#",
  slugReservation: "SLUG#",
  credit: "CREDIT#",
  given: "GIVEN#",
  manifest: "MANIFEST#",
  /** A person's profile, memberships and active workspaces, in one partition as docs/specification.md demands. */
  user: "USER#",
  grant: "GRANT#",
  /** The program's own app clients, which Pulumi alone writes. */
  appClient: "CLIENT#",
  /** App clients of gateways. They are apart from the program's own, because the function that makes gateways writes them. */
  connectorClient: "CONNECTOR#",
  apiKey: "KEY#",
  serviceAccounts: "ACCOUNTS#",
  activeKeys: "KEYS#",
  /** Last use of a key. It is apart from the key, because the proxy writes it and may only read keys. */
  lastUse: "USED#",
  /** When a person signed out everywhere. It is apart from the person, because the proxy reads it and may know nothing else of people. */
  signOut: "SIGNOUT#",
  idempotency: "IDEMPOTENCY#",
  spending: "SPENDING#",
  /** How far a person is ahead of time with questions that are paid for in time. */
  asked: "ASKED#",
  ledger: "LEDGER#",
  rollup: "ROLLUP#",
  /** A tenant's closed hour, with the amount to be billed. */
  report: "REPORT#",
  /** The difference that a correction makes to its hour's report. */
  adjustment: "ADJUSTMENT#",
  /** A tenant's total of usage, month by month, and how much of it was billed. */
  total: "TOTAL#",
  meterProgress: "METER#",
  /** The record of the notices that were mailed about a limit. */
  notice: "NOTICE#",
  waitingRoom: "WAITING#",
  /** The number of a tenant's calls in flight. */
  crowd: "CROWD#",
  audit: "AUDIT#",
  /** A tenant's status, for the search by status. */
  directory: "DIRECTORY#",
  /** The tenants of an owner, their number, and the billing slot of each. */
  ownedTenants: "OWNED#",
  /** How much of the usage that an owner may leave unpaid was drawn in slices by callers, and how much was paid. */
  allowance: "ALLOWANCE#",
  /** A debt that left with its owner, under a keyed hash of the owner's address or card. */
  debtor: "DEBTOR#",
  /** The owners who have had a card, under its keyed hash. */
  card: "CARD#",
  /** An owner as the payment provider's customer. */
  customer: "BILLING#",
  /** A processed event of the payment provider. */
  paymentEvent: "EVENT#",
  /** A workspace's MCP gateway, and the lease of whoever works on it. */
  mcpGateway: "MCPGATEWAY#",
  /** An integration behind a workspace's MCP gateway. */
  mcpServer: "MCPSERVER#",
  /** A skill of a workspace, and how many there are. */
  skill: "SKILLS#",
  /** A version of a skill, and which version has which content. */
  skillVersion: "SKILL#",
  /** The environment of a skill's script. */
  skillEnvironment: "SKILLENV#",
  /** The owner's approval of an active skill. */
  skillApproval: "SKILLAPPROVAL#",
  /** A secret for skills' environments, and how many there are. */
  skillSecret: "SECRET#",
  /** A run of a skill's script. */
  skillRun: "SKILLRUN#",
  /** How much a workspace runs: the leases of its runs, and the seconds of the day. */
  skillUse: "SKILLUSE#",
} as const;

export type RecordKind = keyof typeof records;

/** Prefixes of the first index's partition keys. A tenant's members and API keys are listed under `tenant`. */
export const listings = { slug: "SLUG#", email: "EMAIL#", tenant: "TENANT#", status: "STATUS#" } as const;

export type Listing = keyof typeof listings;

/** Prefixes of the second index's partition keys. */
export const activeListings = {
  activeCaller: "ACTIVE#",
  adjustment: "ADJUSTMENTS#",
  unbilled: "UNBILLED#",
  pending: "PENDING#",
  unchecked: "UNCHECKED#",
  customer: "CUSTOMERS#",
  mcpDue: "MCPDUE#",
} as const;

export type ActiveListing = keyof typeof activeListings;

/**
 * Attributes that a sign-in may write: it writes the profile and activates an invitation. It may not write `tenant_id` and
 * `tenant_role`, which decide where a person belongs and as what.
 */
export const signInAttributes = [
  ...["pk", "sk", "gsi1_pk", "gsi1_sk", "gsi2_pk", "gsi2_sk"],
  ...["sub", "email", "approval_status", "provider", "email_verified", "linked", "created_at"],
  ...["status", "invited_at", "activated_at"],
] as const;

/** Attributes by which the meter marks a tenant: its cap is reached, or its whole answers are kept short. */
export const markAttributes = ["pk", "sk", "capped_month", "unexplained_month"] as const;

/** Attributes of a free credit that those may name who draw on it: all but what was granted. Each reservation is an attribute. */
export const creditAttributes = ["pk", "sk", "spent", "committed", "r#*"] as const;

/** Attributes of an owner's allowance by who writes them: who draws slices and takes them back, and who reads what was paid. */
export const drawnAttributes = ["pk", "sk", "drawn"] as const;
/** Who takes back idle slices keeps the place of it there, and what it found. */
export const takeBackAttributes = [
  ...drawnAttributes,
  "takeback_until",
  "looked_at",
  "looked_drawn",
  "in_flight",
] as const;
export const paidAttributes = ["pk", "sk", "paid", "p#*", "settled", "ceiling", "drawn", "owed", "shares"] as const;
/** The meter counts what nobody explains, too: an attribute for each month. */
export const countedAttributes = [...drawnAttributes, "u#*"] as const;

/** Attributes of a total that the meter writes: one for each month. */
export const meteredAttributes = ["pk", "sk", "gsi2_pk", "gsi2_sk", "additions", "unreported_since", "m#*"] as const;

/** Attributes of a tenant that the payment provider's events decide. */
export const paymentState = ["has_payment_method", "tier", "status", "suspended_reason", "suspended_at"] as const;

export type Key = { pk: string; sk: string };

type RollupKey = { tenant_id: string; hour: string; caller_id: string; model: string };

const key = (kind: RecordKind, id: string, sk: string): Key => ({ pk: records[kind] + id, sk });

export const keys = {
  tenant: (tenantId: string) => key("tenant", tenantId, "TENANT"),
  slugReservation: (slug: string) => key("slugReservation", slug, "SLUG"),
  credit: (tenantId: string) => key("credit", tenantId, "CREDIT"),
  /** @param day `2026-11-27` */
  given: (day: string) => key("given", day, "DAY"),
  manifest: (tenantId: string, resource: string) => key("manifest", tenantId, resource),
  profile: (sub: string) => key("user", sub, "PROFILE"),
  membership: (sub: string, tenantId: string) => key("user", sub, `TENANT#${tenantId}`),
  activeTenant: (sub: string, clientId: string) => key("user", sub, `ACTIVE#${clientId}`),
  grant: (tenantId: string, sub: string) => key("grant", tenantId, sub),
  appClient: (clientId: string) => key("appClient", clientId, "CLIENT"),
  connectorClient: (clientId: string) => key("connectorClient", clientId, "CONNECTOR"),
  apiKey: (keyId: string) => key("apiKey", keyId, "KEY"),
  /** The service accounts of a tenant and their number. */
  serviceAccounts: (tenantId: string) => key("serviceAccounts", tenantId, "ACCOUNTS"),
  /** The active keys of a caller and their number. */
  activeKeys: (tenantId: string, callerId: string) => key("activeKeys", tenantId, callerId),
  lastUse: (keyId: string) => key("lastUse", keyId, "USED"),
  signOut: (sub: string) => key("signOut", sub, "SIGNOUT"),
  idempotency: (sub: string, idempotencyKey: string) => key("idempotency", sub, idempotencyKey),
  /** A caller's spent and reserved amounts of a month, and the calls in flight. */
  spending: (tenantId: string, callerId: string, month: string) =>
    key("spending", `${tenantId}#${callerId}`, `MONTH#${month}`),
  asked: ({ sub, kind }: Purse) => key("asked", sub, kind.toUpperCase()),
  rollups: (tenantId: string, month: string) => ({ pk: `${records.rollup}${tenantId}#${month}` }),
  rollup: ({ tenant_id, hour, caller_id, model }: RollupKey) =>
    key("rollup", `${tenant_id}#${hour.slice(0, 7)}`, `${hour}#${caller_id}#${model}`),
  /** The tenant's calls that wait for their callers' budgets. */
  waitingRoom: (tenantId: string) => key("waitingRoom", tenantId, "ROOM"),
  crowd: (tenantId: string) => key("crowd", tenantId, "CALLS"),
  report: (tenantId: string, hour: string) => key("report", `${tenantId}#${hour.slice(0, 7)}`, hour),
  /** @param id the corrected request's */
  adjustment: (tenantId: string, id: string) => key("adjustment", tenantId, id),
  total: (tenantId: string) => key("total", tenantId, "TOTAL"),
  /** How far a tenant's hours are closed. */
  tenantProgress: (tenantId: string, month: string) => key("meterProgress", `${tenantId}#${month}`, "TENANT"),
  /** Says that nothing of a month is left to do in a shard. */
  shardProgress: (month: string, shard: number) => key("meterProgress", `${month}#${shard}`, "SHARD"),
  /** The row that says how far the reconciliation's round over all people has come. */
  reconcileProgress: () => key("manifest", "PLATFORM", "WALK"),
  /** @param name month and limit, or `credit` */
  notice: (tenantId: string, name: string) => key("notice", tenantId, name),
  directory: (tenantId: string) => key("directory", tenantId, "DIRECTORY"),
  mcpServer: (tenantId: string, serverId: string) => key("mcpServer", tenantId, serverId),
  /** Reserves the name of an integration within its workspace; it holds the id of the integration that has the name. */
  mcpServerName: (tenantId: string, name: string) => key("mcpServer", tenantId, `NAME#${name}`),
  /** The mark of a removed integration. */
  mcpServerRemoved: (tenantId: string, serverId: string) => key("mcpServer", tenantId, `REMOVED#${serverId}`),
  skill: (tenantId: string, name: string) => key("skill", tenantId, name),
  /** No skill's name has capitals. */
  skillCounts: (tenantId: string) => key("skill", tenantId, "COUNTS"),
  skillVersion: (tenantId: string, name: string, version: number) =>
    key("skillVersion", `${tenantId}#${name}`, `V#${String(version).padStart(9, "0")}`),
  /** Names the version that has a content, by the digest, so that the same upload is the same version. */
  skillContent: (tenantId: string, name: string, digest: string) =>
    key("skillVersion", `${tenantId}#${name}`, `CONTENT#${digest}`),
  skillEnvironment: (tenantId: string, name: string) => key("skillEnvironment", tenantId, name),
  skillApproval: (tenantId: string, name: string) => key("skillApproval", tenantId, name),
  /** @param id begins with the run's time */
  skillRun: (tenantId: string, name: string, id: string) => key("skillRun", tenantId, `${name}#${id}`),
  skillUse: (tenantId: string) => key("skillUse", tenantId, "USE"),
  skillSecret: (tenantId: string, name: string) => key("skillSecret", tenantId, name),
  /** No secret's name begins so. */
  skillSecretCounts: (tenantId: string) => key("skillSecret", tenantId, "#COUNTS"),
  ownedTenants: (sub: string) => key("ownedTenants", sub, "OWNED"),
  customer: (ownerSub: string) => key("customer", ownerSub, "CUSTOMER"),
  allowance: (ownerSub: string) => key("allowance", ownerSub, "ALLOWANCE"),
  debtor: (mark: string, customerId: string) => key("debtor", mark, customerId),
  card: (mark: string) => key("card", mark, "OWNERS"),
  /** The e-mail address with which a customer is being made. */
  customerAddress: (ownerSub: string) => key("customer", ownerSub, "ADDRESS"),
  paymentEvent: (eventId: string) => key("paymentEvent", eventId, "EVENT"),
  mcpGateway: (tenantId: string) => key("mcpGateway", tenantId, "GATEWAY"),
  mcpGatewayLease: (tenantId: string) => key("mcpGateway", tenantId, "LEASE"),
  /** @param entry time and id */
  audit: (tenantId: string, month: string, entry: string) => key("audit", `${tenantId}#${month}`, entry),
  ledger: (tenantId: string, hour: string, requestId: string) => key("ledger", `${tenantId}#${hour}`, requestId),
} as const;

/** A place in a list that is in the order of time: since when something is listed, and its id. */
export const placeOf = (since: string, id: string) => `${since}#${id}`;

/** The id in a place. */
export const idIn = (place: string) => place.slice(place.lastIndexOf("#") + 1);

const indexKey = (listing: Listing, id: string, sk: string) => ({ gsi1_pk: listings[listing] + id, gsi1_sk: sk });

export const index = {
  slug: (slug: string) => indexKey("slug", slug, "TENANT"),
  email: (email: string) => indexKey("email", email.toLowerCase(), "PROFILE"),
  /** @param place of the person among the tenant's, by the time of the membership */
  member: (tenantId: string, place: string) => indexKey("tenant", tenantId, `USER#${place}`),
  /** @param place of the key among the tenant's, by the time of its creation */
  apiKey: (tenantId: string, place: string) => indexKey("tenant", tenantId, `KEY#${place}`),
  /** @param since when the tenant came into the status, in ISO 8601 */
  status: (status: string, since: string, tenantId: string) => indexKey("status", status, `${since}#${tenantId}`),
} as const;

type ActiveCaller = { tenantId: string; callerId: string; month: string };

/** Keys of the second index. Tenants are spread over shards, so that not all callers write to one partition. */
export const activeIndex = {
  /** The active callers of a month and shard. */
  activeCallers: (month: string, shard: number) => `${activeListings.activeCaller}${month}#${shard}`,
  /** People who wait for approval. They are few, so one partition holds all. */
  pending: () => `${activeListings.pending}PEOPLE`,
  /** Tenants that the reconciliation has not looked at since their creation, all together: they are few, and each is there once. */
  unchecked: (since: string, tenantId: string) => ({
    gsi2_pk: `${activeListings.unchecked}TENANTS`,
    gsi2_sk: `${since}#${tenantId}`,
  }),
  /** All customers, by when their state at the payment provider was last read. */
  customer: (readAt: string, ownerSub: string) => ({
    gsi2_pk: `${activeListings.customer}ALL`,
    gsi2_sk: `${readAt}#${ownerSub}`,
  }),
  /** MCP gateways that need a run from then on. */
  mcpDue: (since: string, tenantId: string) => ({
    gsi2_pk: `${activeListings.mcpDue}GATEWAYS`,
    gsi2_sk: `${since}#${tenantId}`,
  }),
  /** Integrations on which work goes on, by when it began. */
  mcpServerDue: (since: string, tenantId: string, serverId: string) => ({
    gsi2_pk: `${activeListings.mcpDue}SERVERS`,
    gsi2_sk: `${since}#${tenantId}#${serverId}`,
  }),
  adjustments: (shard: number) => `${activeListings.adjustment}${shard}`,
  /** The totals of a shard's tenants that are not billed in full. */
  unbilled: (shard: number) => `${activeListings.unbilled}${shard}`,
} as const;

/** Attributes of a caller's spending item. The admission sets them once for each caller and month. */
export function activeCallerIndex({ tenantId, callerId, month }: ActiveCaller) {
  return { gsi2_pk: activeIndex.activeCallers(month, shardOf(tenantId)), gsi2_sk: `${tenantId}#${callerId}` };
}

/** Set on an adjustment until the rollup of its hour is computed again and the total has the difference. */
export function adjustmentIndex(tenantId: string, id: string) {
  return { gsi2_pk: activeIndex.adjustments(shardOf(tenantId)), gsi2_sk: `${tenantId}#${id}` };
}

/** Set on a total until it is billed in full. */
export function totalIndex(tenantId: string) {
  return { gsi2_pk: activeIndex.unbilled(shardOf(tenantId)), gsi2_sk: tenantId };
}
