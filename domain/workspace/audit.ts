// The audit trail: who changed what of a tenant, when, and its state before and after. Each change writes its entry in its own
// transaction: the store's method that changes takes the entry as its last parameter, and its adapter adds `auditPut` to the write.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { Page, PageRequest } from "../kernel/page.ts";
import { monthOf } from "../kernel/period.ts";
import { type AuditAction, auditWords } from "./audit-actions.ts";
import { type PlatformRole, platformRole } from "./platform-role.ts";

const state = z.record(z.string(), z.unknown());
type State = z.output<typeof state>;

const auditActions = Object.keys(auditWords) as AuditAction[];

export const auditEntrySchema = z.object({
  audit_id: z.string().describe("Id of the entry. It is unique even for two changes in the same millisecond"),
  tenant_id: z.string().describe("Id of the workspace; `platform` for a change outside all workspaces"),
  at: z.iso.datetime().describe("When the change happened"),
  actor: z.string().describe("Who made the change: a person's `user_id`, or the name of a function of the platform"),
  actor_role: platformRole
    .optional()
    .describe("Platform role that allowed the change. Missing for members of the workspace and for functions"),
  action: z.enum(auditActions).describe("What was changed and how, as noun and verb, e.g. `grant.put`"),
  target: z.string().describe("Id of the changed record"),
  before: state.optional().describe("The changed fields before the change. Missing if the record did not exist"),
  after: state.optional().describe("The changed fields after the change. Missing if the record was removed"),
});

export type AuditEntry = z.output<typeof auditEntrySchema>;

/** Times in ISO 8601 UTC; `from` is within, `to` is not. */
export type AuditFilter = {
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

export interface AuditTrail {
  /** Newest first. A page may have fewer entries than asked for, and still a next one. */
  list(tenantId: string, filter: AuditFilter, page: PageRequest, now: number): Promise<Page<AuditEntry>>;
  /** Writes an entry without a change: somebody of the platform read. */
  note(entry: AuditEntry): Promise<void>;
}

/** Stands for the tenant in entries of changes outside any tenant, e.g. the approval of a person. */
export const platformTrail = "platform";

type Change = {
  tenant_id: string;
  actor: string;
  actor_role?: PlatformRole | undefined;
  action: AuditAction;
  target: string;
  before?: object | undefined;
  after?: object | undefined;
};

/** Names of fields that no entry may hold, at any depth of a record. */
const secret = /^key$|(^|_)(hash|password|secret|token)$/;
/** Fields that the entry itself replaces: it says when and by whom. */
const bookkeeping: ReadonlySet<string> = new Set(["version", "updated_at", "updated_by"]);

/**
 * The entry of a change.
 * @param now in milliseconds
 */
export function auditEntry(change: Change, { id, now }: { id: string; now: number }): AuditEntry {
  const { before, after, actor_role, ...rest } = change;
  const [was, is] = [before && withoutSecrets(before), after && withoutSecrets(after)];
  return {
    audit_id: id,
    at: new Date(now).toISOString(),
    ...rest,
    ...(actor_role && { actor_role }),
    ...(was && { before: difference(was, is) }),
    ...(is && { after: difference(is, was) }),
  };
}

/** A person who changes something in a workspace. */
export type Author = { tenantId: string; sub: string };

/** The entry of a change that a person makes now. */
export function entryBy(
  { clock, newId }: { clock: () => number; newId: () => string },
  { tenantId, sub }: Author,
  change: Omit<Change, "tenant_id" | "actor">,
): AuditEntry {
  return auditEntry({ tenant_id: tenantId, actor: sub, ...change }, { id: newId(), now: clock() });
}

/** The trails on which an entry stands: what the platform's own people do in a workspace is told on the platform's, too. */
export function trailsOf({ tenant_id, actor_role }: AuditEntry): string[] {
  return actor_role && tenant_id !== platformTrail ? [tenant_id, platformTrail] : [tenant_id];
}

/** The month in whose partition the store keeps an entry. */
export function monthOfEntry({ at }: Pick<AuditEntry, "at">): string {
  return monthOf(Date.parse(at));
}

/** The fields of one state that differ in the other. */
function difference(state: State, other: State = {}): State {
  return Object.fromEntries(
    Object.entries(state).filter(
      ([name, value]) => value !== undefined && !bookkeeping.has(name) && !isDeepStrictEqual(value, other[name]),
    ),
  );
}

function withoutSecrets(state: object): State {
  const open = Object.entries(state).filter(([name]) => !secret.test(name));
  return Object.fromEntries(open.map(([name, value]) => [name, withoutSecretsIn(value)]));
}

function withoutSecretsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretsIn);
  return typeof value === "object" && value !== null ? withoutSecrets(value) : value;
}
