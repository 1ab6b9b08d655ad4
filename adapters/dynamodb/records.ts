// All records of the table. A new one is a line here; rights, the purge, times to live and the tables of docs/storage.md follow from what it declares.

import { appClientRecord, connectorClientRecord } from "./access/app-client.record.ts";
import { grantRecord } from "./access/grant.record.ts";
import { signOutRecord } from "./access/sign-out.record.ts";
import { cardRecord } from "./billing/card.record.ts";
import { customerAddressRecord, customerRecord } from "./billing/customer.record.ts";
import { debtorRecord } from "./billing/debtor.record.ts";
import { paymentEventRecord } from "./billing/payment-event.record.ts";
import { allowanceRecord } from "./budget/allowance.record.ts";
import { creditRecord } from "./budget/credit.record.ts";
import { crowdRecord } from "./budget/crowd.record.ts";
import { spendingRecord } from "./budget/spending.record.ts";
import { waitingRoomRecord } from "./budget/waiting-room.record.ts";
import { surveyRecord, takenModelsRecord } from "./catalog/survey.record.ts";
import { ownRedirectsRecord } from "./connectors/own-redirects.record.ts";
import { refreshFamilyRecord } from "./connectors/refresh-family.record.ts";
import { mcpServerNameRecord, mcpServerRecord, mcpServerRemovedRecord } from "./integrations/mcp-server.record.ts";
import { askedRecord } from "./kernel/asked.record.ts";
import { idempotencyRecord } from "./kernel/idempotency.record.ts";
import { activeKeysRecord } from "./keys/active-keys.record.ts";
import { apiKeyRecord } from "./keys/api-key.record.ts";
import { lastUseRecord } from "./keys/last-use.record.ts";
import { serviceAccountsRecord } from "./keys/service-accounts.record.ts";
import { ledgerRecord } from "./ledger/ledger.record.ts";
import { shardProgressRecord, tenantProgressRecord } from "./ledger/metering-progress.record.ts";
import { rollupRecord } from "./ledger/rollup.record.ts";
import { mcpGatewayLeaseRecord, mcpGatewayRecord } from "./mcp/mcp-gateway.record.ts";
import { adjustmentRecord } from "./metering/adjustment.record.ts";
import { reportRecord } from "./metering/report.record.ts";
import {
  budgetNoticeRecord,
  capNoticeRecord,
  creditNoticeRecord,
  modelEndNoticeRecord,
  paymentNoticeRecord,
} from "./notices/notice.record.ts";
import { activeTenantRecord, membershipRecord, profileRecord } from "./people/user.record.ts";
import { givenRecord } from "./provisioning/given.record.ts";
import { manifestRecord, reconcileProgressRecord } from "./provisioning/manifest.record.ts";
import type { StoredRecord } from "./record.ts";
import { totalRecord } from "./reporting/total.record.ts";
import { skillRunRecord } from "./runs/skill-run.record.ts";
import { skillUseRecord } from "./runs/skill-use.record.ts";
import { skillSecretCountsRecord, skillSecretRecord } from "./secrets/skill-secret.record.ts";
import { skillCountsRecord, skillRecord } from "./skills/skill.record.ts";
import { skillApprovalRecord } from "./skills/skill-approval.record.ts";
import { skillEnvironmentRecord } from "./skills/skill-environment.record.ts";
import { skillContentRecord, skillVersionRecord } from "./skills/skill-version.record.ts";
import { auditRecord } from "./workspace/audit.record.ts";
import { directoryRecord } from "./workspace/directory.record.ts";
import { ownedTenantsRecord } from "./workspace/owned-tenants.record.ts";
import { slugReservationRecord } from "./workspace/slug-reservation.record.ts";
import { tenantRecord } from "./workspace/tenant.record.ts";

export const records = {
  tenant: tenantRecord,
  slugReservation: slugReservationRecord,
  credit: creditRecord,
  given: givenRecord,
  manifest: manifestRecord,
  reconcileProgress: reconcileProgressRecord,
  profile: profileRecord,
  membership: membershipRecord,
  activeTenant: activeTenantRecord,
  grant: grantRecord,
  appClient: appClientRecord,
  connectorClient: connectorClientRecord,
  apiKey: apiKeyRecord,
  serviceAccounts: serviceAccountsRecord,
  activeKeys: activeKeysRecord,
  lastUse: lastUseRecord,
  signOut: signOutRecord,
  idempotency: idempotencyRecord,
  spending: spendingRecord,
  asked: askedRecord,
  ledger: ledgerRecord,
  rollup: rollupRecord,
  report: reportRecord,
  adjustment: adjustmentRecord,
  total: totalRecord,
  tenantProgress: tenantProgressRecord,
  shardProgress: shardProgressRecord,
  capNotice: capNoticeRecord,
  budgetNotice: budgetNoticeRecord,
  creditNotice: creditNoticeRecord,
  modelEndNotice: modelEndNoticeRecord,
  paymentNotice: paymentNoticeRecord,
  survey: surveyRecord,
  takenModels: takenModelsRecord,
  waitingRoom: waitingRoomRecord,
  crowd: crowdRecord,
  audit: auditRecord,
  directory: directoryRecord,
  ownedTenants: ownedTenantsRecord,
  allowance: allowanceRecord,
  debtor: debtorRecord,
  card: cardRecord,
  customer: customerRecord,
  customerAddress: customerAddressRecord,
  paymentEvent: paymentEventRecord,
  ownRedirects: ownRedirectsRecord,
  refreshFamily: refreshFamilyRecord,
  mcpGateway: mcpGatewayRecord,
  mcpGatewayLease: mcpGatewayLeaseRecord,
  mcpServer: mcpServerRecord,
  mcpServerRemoved: mcpServerRemovedRecord,
  mcpServerName: mcpServerNameRecord,
  skill: skillRecord,
  skillCounts: skillCountsRecord,
  skillVersion: skillVersionRecord,
  skillContent: skillContentRecord,
  skillEnvironment: skillEnvironmentRecord,
  skillApproval: skillApprovalRecord,
  skillSecret: skillSecretRecord,
  skillSecretCounts: skillSecretCountsRecord,
  skillRun: skillRunRecord,
  skillUse: skillUseRecord,
} as const;

export type RecordName = keyof typeof records;
/** Kinds of records, to which functions have rights. */
export type RecordKind = (typeof records)[RecordName]["kind"];

/** Records by their names, as the purge, rights and the tables of docs/storage.md take them. */
export type Declared = Readonly<Record<string, StoredRecord>>;
