// How a secret comes, gets another value and goes. Any member makes one. Its value is replaced by the owner and by whoever gave it last, so that what
// the owner gave is the owner's. An active skill takes up the owner's values alone (domain/skills/approval.ts).
import type { Actor } from "../access/access-rule.ts";
import { Refusal } from "../kernel/refusal.ts";
import { together } from "../kernel/together.ts";
import type { SkillApprovalStore } from "../skills/approval.ts";
import { workspaceLimits } from "../skills/limits.ts";
import type { SkillRecord, SkillStore } from "../skills/skill.ts";
import { changing } from "../skills/skill-change.ts";
import { entryBy } from "../workspace/audit.ts";
import { noSecret, type SecretRecord, type SecretSealer, type SecretStore } from "./secret.ts";

type Dependencies = {
  skills: Pick<SkillStore, "list">;
  skillSecrets: SecretStore;
  secretSealer: SecretSealer;
  skillApprovals: Pick<SkillApprovalStore, "forget">;
  clock: () => number;
  newId: () => string;
};

/** @throws Refusal role_missing, secret_limit_reached or workspace_incomplete */
export function putSecret(
  deps: Omit<Dependencies, "skills" | "skillApprovals">,
  actor: Actor,
  name: string,
  { value, description }: { value: string; description?: string | undefined },
): Promise<SecretRecord> {
  const { tenantId, sub } = actor;
  let sealed: string | undefined;
  return changing(async () => {
    const found = await deps.skillSecrets.get(tenantId, name);
    const before = found?.removed_at === undefined ? found : undefined;
    if (before) requireOwn(actor, before);
    sealed ??= await deps.secretSealer.seal({ tenantId, name }, value);
    const now = new Date(deps.clock()).toISOString();
    const after: SecretRecord = {
      ...{ tenant_id: tenantId, name, ...(description && { description }) },
      ...{ secret_id: before?.secret_id ?? deps.newId(), value_id: deps.newId(), sealed, set_by: sub },
      ...{ created_by: before?.created_by ?? sub, created_at: before?.created_at ?? now, updated_at: now },
      revision: (found?.revision ?? 0) + 1,
    };
    const written = await deps.skillSecrets.write(after, entryOf(deps, actor, before, after), before ? undefined : 1);
    if (written === "full") throw secretsFull();
    return written === "written" ? after : undefined;
  });
}

/**
 * May be repeated by whoever may remove it, and then takes out of the approvals what an earlier attempt left there.
 * @returns the active skills that got it
 * @throws Refusal not_found or role_missing
 */
export async function removeSecret(deps: Dependencies, actor: Actor, name: string): Promise<string[]> {
  const { tenantId } = actor;
  const { secret, using } = await changing(async () => {
    const [before = noSecret(), skills] = await together([
      deps.skillSecrets.get(tenantId, name),
      deps.skills.list(tenantId),
    ]);
    const isUsing = ({ approved_secrets }: SkillRecord) => approved_secrets.includes(before.secret_id);
    const using = skills.filter(isUsing).map((skill) => skill.name);
    if (before.removed_at !== undefined) return { secret: before, using };
    requireOwn(actor, before);
    if (actor.role !== "owner" && using.length > 0) throw usedByActive(using);
    const { sealed, description, ...rest } = before;
    const now = new Date(deps.clock()).toISOString();
    const after: SecretRecord = { ...rest, removed_at: now, updated_at: now, revision: before.revision + 1 };
    const written = await deps.skillSecrets.write(after, entryOf(deps, actor, before, undefined), -1);
    return written === "written" ? { secret: after, using } : undefined;
  });
  for (const skill of using) await deps.skillApprovals.forget(tenantId, skill, secret);
  return using;
}

function requireOwn({ role, sub }: Actor, { set_by }: SecretRecord): void {
  if (role === "owner" || set_by === sub) return;
  throw new Refusal("role_missing", "This needs the role owner, or the person who gave the secret's value last");
}

function usedByActive(skills: readonly string[]): Refusal {
  const message = `This needs the role owner, because an active skill uses the secret: ${skills.join(", ")}`;
  return new Refusal("role_missing", message);
}

type Stamp = Pick<Dependencies, "clock" | "newId">;

function entryOf(deps: Stamp, actor: Actor, before: SecretRecord | undefined, after: SecretRecord | undefined) {
  const state = ({ description, created_by, set_by, revision }: SecretRecord) => ({
    ...{ description, created_by, set_by, revision },
  });
  const states = { ...(before && { before: state(before) }), ...(after && { after: state(after) }) };
  return entryBy(deps, actor, {
    action: after ? "secret.put" : "secret.delete",
    target: before?.name ?? after?.name ?? "",
    ...states,
  });
}

function secretsFull(): Refusal {
  const message = `The workspace has ${workspaceLimits.secrets} secrets, and may have no more: remove one first`;
  return new Refusal("secret_limit_reached", message);
}
