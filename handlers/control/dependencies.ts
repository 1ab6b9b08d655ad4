// What the control plane's handler works with; wiring.ts brings the real ones.

import type { ApiKeyStore, Random } from "../../domain/access/api-key.ts";
import type { TokenVerifier } from "../../domain/access/credential.ts";
import type { Discovery } from "../../domain/access/discovery.ts";
import type { GrantStore } from "../../domain/access/grant.ts";
import type { LastUseStore } from "../../domain/access/last-use.ts";
import type { Region } from "../../domain/access/region.ts";
import type { BillingReader } from "../../domain/billing/billing-reader.ts";
import type { OwnerPayments } from "../../domain/billing/owner-payments.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { IdempotencyStore } from "../../domain/idempotency.ts";
import type { Log } from "../../domain/log.ts";
import type { Mailer } from "../../domain/mail.ts";
import type { FirstCalls } from "../../domain/spending/active-caller.ts";
import type { LedgerStore } from "../../domain/spending/ledger.ts";
import type { MeteringProgressStore } from "../../domain/spending/metering-progress.ts";
import type { RollupStore } from "../../domain/spending/rollup.ts";
import type { SpendingReader } from "../../domain/spending/spending.ts";
import type { Accounts } from "../../domain/tenancy/accounts.ts";
import type { AuditTrail } from "../../domain/tenancy/audit.ts";
import type { InvitationStore } from "../../domain/tenancy/invitation.ts";
import type { MemberStore } from "../../domain/tenancy/member.ts";
import type { PurgeJobQueue } from "../../domain/tenancy/purge.ts";
import type { TenantStore } from "../../domain/tenancy/tenant.ts";
import type { TenantChanges } from "../../domain/tenancy/tenant-change.ts";
import type { TenantEffects } from "../../domain/tenancy/tenant-creation.ts";
import type { TenantDirectory } from "../../domain/tenancy/tenant-directory.ts";
import type { SetupJobQueue } from "../../domain/tenancy/tenant-setup.ts";
import type { ApprovalStore, UserStore } from "../../domain/tenancy/user.ts";

export type ControlDependencies = {
  tokens: TokenVerifier;
  tenants: TenantStore;
  /** For an owner who works in this app client. */
  tenantEffects: (clientId: string) => TenantEffects;
  tenantChanges: TenantChanges;
  purgeJobs: Pick<PurgeJobQueue, "send">;
  setupJobs: Pick<SetupJobQueue, "send">;
  tenantDirectory: TenantDirectory;
  users: UserStore;
  accounts: Accounts;
  members: MemberStore;
  invitations: InvitationStore;
  approvals: ApprovalStore;
  audit: AuditTrail;
  grants: GrantStore;
  apiKeys: ApiKeyStore;
  lastUses: Pick<LastUseStore, "of">;
  rollups: Pick<RollupStore, "list">;
  ledger: Pick<LedgerStore, "hour">;
  spending: SpendingReader;
  progress: Pick<MeteringProgressStore, "of">;
  firstCalls: FirstCalls;
  billing: BillingReader;
  /** None where the platform bills nobody. */
  payments: OwnerPayments | undefined;
  idempotency: IdempotencyStore;
  mailer: Mailer;
  hashApiKey: (key: string) => Promise<string>;
  catalog: Catalog;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** A new UUID. */
  newId: () => string;
  random: Random;
  log: Log;
  settings: {
    scopePrefix: string;
    proxyDomain: string;
    vendorSegment: string;
    defaultRegion: Region;
    approval: "automatic" | "manual";
    /** Whose pages may call from a browser: scheme, host and port. */
    consoleOrigins: readonly string[];
    /** What clients are told of the platform. */
    discovery: Discovery;
    /** Of a workspace. */
    maxServiceAccounts: number;
    /** Invitations and their repeats of a workspace a day (UTC). */
    maxInvitationMails: number;
    /** Times the list price is what the owner pays; none where nobody pays. */
    markup: number | undefined;
  };
};
