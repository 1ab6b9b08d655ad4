// The ports of the proxy and its settings. On AWS lambda.ts connects them.

import type { ApiKeyStore } from "../../domain/access/api-key.ts";
import type { TokenVerifier } from "../../domain/access/credential.ts";
import type { GrantStore } from "../../domain/access/grant.ts";
import type { SignOutStore } from "../../domain/access/sign-out.ts";
import type { Crowd } from "../../domain/budget/crowd.ts";
import type { IdleSliceStore } from "../../domain/budget/idle-slices.ts";
import type { LedgerTransactions } from "../../domain/budget/ledger-row.ts";
import type { Limits, SpendingStore } from "../../domain/budget/spending.ts";
import type { UnsettledUsage } from "../../domain/budget/unsettled.ts";
import type { WaitingRoom } from "../../domain/budget/waiting.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { Log } from "../../domain/kernel/log.ts";
import type { Queue } from "../../domain/kernel/queue.ts";
import type { LastUseStore } from "../../domain/keys/last-use.ts";
import type { LedgerStore } from "../../domain/ledger/ledger.ts";
import type { ModelHost } from "../../domain/messages/model-host.ts";
import type { Telemetry } from "../../domain/messages/telemetry.ts";
import type { TenantStore } from "../../domain/workspace/tenant.ts";
import type { ChosenStatuses } from "../middleware/refusal-form.ts";
import type { Schedule } from "./idle-timeout.ts";
import type { HeaderNames } from "./request.ts";

export type ProxyDependencies = {
  tokens: TokenVerifier;
  signOuts: Pick<SignOutStore, "of">;
  tenants: Pick<TenantStore, "getBySlug">;
  grants: Pick<GrantStore, "get">;
  apiKeys: Pick<ApiKeyStore, "get">;
  lastUses: Pick<LastUseStore, "put">;
  /** Whether a stored hash is of this key. */
  compareApiKey: (key: string, hash: string) => Promise<boolean>;
  spending: SpendingStore;
  idleSlices: IdleSliceStore;
  ledger: Pick<LedgerStore, "putIfAbsent" | "get">;
  transactions: LedgerTransactions;
  /** Takes the usage that the store does not take. */
  unsettled: Pick<Queue<UnsettledUsage>, "send">;
  waitingRoom: WaitingRoom;
  crowd: Crowd;
  modelHost: ModelHost;
  /** `freshen` reads what was taken up since. */
  catalog: Catalog & { freshen?: () => Promise<void> };
  telemetry: Telemetry;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
  random: (size: number) => Uint8Array;
  schedule: Schedule;
  pause: (milliseconds: number) => Promise<void>;
  settings: ProxySettings;
};

export type ProxySettings = {
  /** SHA-256 in hexadecimal of each valid origin secret. */
  originSecretHashes: string[];
  /** First path segments under which the proxy answers. */
  vendorSegments: string[];
  headerNames: HeaderNames;
  /** `proxy.<domain>` */
  proxyDomain: string;
  /** The console's address, where workspaces and keys are administered. */
  consoleUrl: string;
  scopePrefix: string;
  /** Limits of callers whose grant sets none. */
  defaultLimits: Pick<Limits, "maxInFlight" | "rate">;
  enforceFreeCredit: boolean;
  /** Most calls of a workspace in flight, all callers together. */
  maxCrowd: number;
  /** What an owner may use before the first payment, in nano-USD at list price; undefined where nobody is billed. */
  trialCap?: number | undefined;
  /** The HTTP status of a spent budget or credit. */
  budgetStatus: ChosenStatuses["budget"];
  /** The HTTP status, for Claude Code, of a refusal that no other token cures; 403 as for everybody else. */
  assistantStatus: ChosenStatuses["incurable"];
  /** Calls whose end nobody heard may be corrected later by the model host's log. */
  logsInvocations?: boolean | undefined;
  /** The longest time without a byte for the caller, before its answer and in it: CloudFront waits a little longer. */
  idleMs: number;
  /** A silence of this length of the model host is bridged with a `ping`. Undefined: no ping is sent, and `idleMs` ends the answer. */
  pingMs: number | undefined;
  /** The longest time from a call's arrival to the status of a stream that is kept open with pings. */
  statusMs: number;
  /** The longest time of a stream without an event of the model host, which is then given up. */
  silenceMs: number;
};
