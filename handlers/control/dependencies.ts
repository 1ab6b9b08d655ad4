// The dependencies of the control plane's handler. lambda.ts creates the real ones.

import type { ApiKeyStore } from "../../domain/access/api-key.ts";
import type { TokenVerifier } from "../../domain/access/credential.ts";
import type { Discovery } from "../../domain/access/discovery.ts";
import type { GrantStore } from "../../domain/access/grant.ts";
import type { Random } from "../../domain/access/key-text.ts";
import type { MemberStore } from "../../domain/access/member.ts";
import type { SignOutStore } from "../../domain/access/sign-out.ts";
import type { OwnerPayments } from "../../domain/billing/owner-payments.ts";
import type { AllowanceStore } from "../../domain/budget/allowance.ts";
import type { IdleSliceStore } from "../../domain/budget/idle-slices.ts";
import type { SpendingReader } from "../../domain/budget/spending.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { Region } from "../../domain/catalog/region.ts";
import type { McpServerStore } from "../../domain/integrations/mcp-server.ts";
import type { ServerProbe, ServerWork } from "../../domain/integrations/server-change.ts";
import type { SpecUploads } from "../../domain/integrations/spec-object.ts";
import type { IdempotencyStore } from "../../domain/kernel/idempotency.ts";
import type { Log } from "../../domain/kernel/log.ts";
import type { Mailer } from "../../domain/kernel/mail.ts";
import type { QuestionAllowances } from "../../domain/kernel/question-allowance.ts";
import type { Queue } from "../../domain/kernel/queue.ts";
import type { LastUseStore } from "../../domain/keys/last-use.ts";
import type { ServiceAccountStore } from "../../domain/keys/service-account.ts";
import type { FirstCalls } from "../../domain/ledger/first-calls.ts";
import type { LedgerStore } from "../../domain/ledger/ledger.ts";
import type { MeteringProgressStore } from "../../domain/ledger/metering-progress.ts";
import type { RollupStore } from "../../domain/ledger/rollup.ts";
import type { Platform } from "../../domain/mails/words.ts";
import type { GatewayStore } from "../../domain/mcp/gateway.ts";
import type { OwnerGateways } from "../../domain/mcp/owner-gateways.ts";
import type { Accounts, SignIns } from "../../domain/people/accounts.ts";
import type { ApprovalStore } from "../../domain/people/approval.ts";
import type { InvitationStore } from "../../domain/people/invitation.ts";
import type { UserStore } from "../../domain/people/user.ts";
import type { PurgeJob } from "../../domain/provisioning/purge.ts";
import type { SetupJob } from "../../domain/provisioning/reconcile.ts";
import type { TenantEffects } from "../../domain/provisioning/tenant-creation.ts";
import type { BillingReader } from "../../domain/reporting/billing-reader.ts";
import type { RunJob } from "../../domain/runs/run.ts";
import type { RunObjects } from "../../domain/runs/run-objects.ts";
import type { RunStore } from "../../domain/runs/run-store.ts";
import type { SecretSealer, SecretStore } from "../../domain/secrets/secret.ts";
import type { SkillApprovalStore } from "../../domain/skills/approval.ts";
import type { EnvironmentStore } from "../../domain/skills/environment.ts";
import type { SkillStore } from "../../domain/skills/skill.ts";
import type { SkillContents } from "../../domain/skills/skill-version.ts";
import type { ToolCallSearcher } from "../../domain/tools/tool-call-search.ts";
import type { AuditTrail } from "../../domain/workspace/audit.ts";
import type { TenantStore } from "../../domain/workspace/tenant.ts";
import type { TenantChanges } from "../../domain/workspace/tenant-change.ts";
import type { TenantDirectory } from "../../domain/workspace/tenant-directory.ts";

export type ControlDependencies = {
  tokens: TokenVerifier;
  signOuts: SignOutStore;
  tenants: TenantStore;
  /** Steps of a workspace's creation, for an owner who works in this app client. */
  tenantEffects: (clientId: string) => TenantEffects;
  tenantChanges: TenantChanges;
  purgeJobs: Pick<Queue<PurgeJob>, "send">;
  setupJobs: Pick<Queue<SetupJob>, "send">;
  tenantDirectory: TenantDirectory;
  users: UserStore;
  accounts: Accounts & SignIns;
  members: MemberStore;
  serviceAccounts: ServiceAccountStore;
  invitations: InvitationStore;
  approvals: ApprovalStore;
  audit: AuditTrail;
  grants: GrantStore;
  apiKeys: ApiKeyStore;
  lastUses: Pick<LastUseStore, "of">;
  rollups: Pick<RollupStore, "list">;
  ledger: Pick<LedgerStore, "hour">;
  questionAllowances: QuestionAllowances;
  spending: SpendingReader;
  progress: Pick<MeteringProgressStore, "of">;
  firstCalls: FirstCalls;
  allowances: Pick<AllowanceStore, "read">;
  idleSlices: Pick<IdleSliceStore, "holders">;
  billing: BillingReader;
  /** Undefined where the platform bills nobody. */
  payments: OwnerPayments | undefined;
  mcpGateways: Pick<GatewayStore, "get">;
  mcpServers: McpServerStore;
  probe: ServerProbe;
  serverWork: ServerWork;
  specUploads: SpecUploads;
  toolCalls: ToolCallSearcher;
  ownerGateways: OwnerGateways;
  skills: SkillStore;
  skillEnvironments: EnvironmentStore;
  skillApprovals: SkillApprovalStore;
  skillSecrets: SecretStore;
  secretSealer: SecretSealer;
  skillContents: SkillContents;
  runs: RunStore;
  runObjects: RunObjects;
  runJobs: Queue<RunJob>;
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
    /** The origin of MCP gateways' addresses. */
    mcpUrl: string;
    vendorSegment: string;
    defaultRegion: Region;
    approval: "automatic" | "manual";
    /** Origins whose pages may call from a browser: scheme, host and port. */
    consoleOrigins: readonly string[];
    /** The platform's name and console, for the words of mails. */
    platform: Platform;
    /** The document from which clients learn the platform's addresses. */
    discovery: Discovery;
    /** Calls in flight of a caller whose grant names no limit. */
    defaultMaxInFlight: number;
    /** Most service accounts of a workspace. */
    maxServiceAccounts: number;
    /** Most invitation mails of a workspace a day (UTC). */
    maxInvitationMails: number;
    /** Factor from the list price to the platform's price; undefined where nobody pays. */
    markup: number | undefined;
    /** What an owner may use before the first payment, in nano-USD at list price; undefined where nobody pays. */
    trialCap?: number | undefined;
  };
};
