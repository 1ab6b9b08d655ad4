// The dependencies of the control plane's handler. lambda.ts creates the real ones.

import type { TokenVerifier } from "../../domain/access/credential.ts";
import type { Discovery } from "../../domain/access/discovery.ts";
import type { Random } from "../../domain/access/key-text.ts";
import type { OwnerPayments } from "../../domain/billing/owner-payments.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { Region } from "../../domain/catalog/region.ts";
import type { ServerProbe, ServerWork } from "../../domain/integrations/server-change.ts";
import type { SpecUploads } from "../../domain/integrations/spec-object.ts";
import type { Log } from "../../domain/kernel/log.ts";
import type { Mailer } from "../../domain/kernel/mail.ts";
import type { Queue } from "../../domain/kernel/queue.ts";
import type { Platform } from "../../domain/mails/words.ts";
import type { OwnerGateways } from "../../domain/mcp/owner-gateways.ts";
import type { Accounts, SignIns } from "../../domain/people/accounts.ts";
import type { PurgeJob } from "../../domain/provisioning/purge.ts";
import type { SetupJob } from "../../domain/provisioning/reconcile.ts";
import type { TenantEffects } from "../../domain/provisioning/tenant-creation.ts";
import type { RunJob } from "../../domain/runs/run.ts";
import type { RunObjects } from "../../domain/runs/run-objects.ts";
import type { SecretSealer } from "../../domain/secrets/secret.ts";
import type { SkillContents } from "../../domain/skills/skill-version.ts";
import type { ToolCallSearcher } from "../../domain/tools/tool-call-search.ts";
import type { ControlStores } from "./stores.ts";

export type ControlDependencies = ControlStores & {
  tokens: TokenVerifier;
  /** Steps of a workspace's creation, for an owner who works in this app client. */
  tenantEffects: (clientId: string) => TenantEffects;
  purgeJobs: Pick<Queue<PurgeJob>, "send">;
  setupJobs: Pick<Queue<SetupJob>, "send">;
  accounts: Accounts & SignIns;
  /** Undefined where the platform bills nobody. */
  payments: OwnerPayments | undefined;
  probe: ServerProbe;
  serverWork: ServerWork;
  specUploads: SpecUploads;
  toolCalls: ToolCallSearcher;
  ownerGateways: OwnerGateways;
  secretSealer: SecretSealer;
  skillContents: SkillContents;
  runObjects: RunObjects;
  runJobs: Queue<RunJob>;
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
