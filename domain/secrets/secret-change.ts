// How a secret comes, gets another value and goes. Any member makes one; what an active skill uses is the owner's to change.
import type { Actor } from "../access/access-rule.ts";
import { Refusal } from "../kernel/refusal.ts";
import { workspaceLimits } from "../skills/limits.ts";
import type { SkillStore } from "../skills/skill.ts";
import { changing } from "../skills/skill-change.ts";
import { entryBy } from "../workspace/audit.ts";
import { noSecret, type SecretRecord, type SecretSealer, type SecretStore } from "./secret.ts";

type Dependencies = {
  skills: Pick<SkillStore, "list">;
  skillSecrets: SecretStore;
  secretSealer: SecretSealer;
  clock: () => number;
  newId: () => string;
};

/** @throws Refusal role_missing, secret_limit_reached or workspace_incomplete */
export function putSecret(
  deps: Dependencies,
  actor: Actor,
  name: string,
  { value, description }: { value: string; description?: string | undefined },
): Promise<SecretRecord> {
  const { tenantId, sub } = actor;
  let sealed: string | undefined;
  return changing(async () => {
    const found = await deps.skillSecrets.get(tenantId, name);
    const before = found?.removed_at === undefined ? found : undefined;
    if (before) await requireChangeable(deps, actor, before);
    sealed ??= await deps.secretSealer.seal({ tenantId, name }, value);
    const now = new Date(deps.clock()).toISOString();
    const after: SecretRecord = {
      ...{ tenant_id: tenantId, name, ...(description && { description }), sealed },
      ...{ created_by: before?.created_by ?? sub, created_at: before?.created_at ?? now, updated_at: now },
      revision: (found?.revision ?? 0) + 1,
    };
    const written = await deps.skillSecrets.write(after, entryOf(deps, actor, before, after), before ? undefined : 1);
    if (written === "full") throw secretsFull();
    return written === "written" ? after : undefined;
  });
}

/** May be repeated by whoever may change it. @throws Refusal not_found or role_missing */
export async function removeSecret(deps: Dependencies, actor: Actor, name: string): Promise<void> {
  await changing(async () => {
    const before = (await deps.skillSecrets.get(actor.tenantId, name)) ?? noSecret();
    if (before.removed_at !== undefined) return before;
    await requireChangeable(deps, actor, before);
    const { sealed, description, ...rest } = before;
    const now = new Date(deps.clock()).toISOString();
    const after: SecretRecord = { ...rest, removed_at: now, updated_at: now, revision: before.revision + 1 };
    const written = await deps.skillSecrets.write(after, entryOf(deps, actor, before, undefined), -1);
    return written === "written" ? after : undefined;
  });
}

async function requireChangeable(
  { skills }: Dependencies,
  { tenantId, role, sub }: Actor,
  { name, created_by }: SecretRecord,
): Promise<void> {
  if (role === "owner") return;
  const isUsed = async () =>
    (await skills.list(tenantId)).some(({ status, secrets }) => status === "active" && secrets.includes(name));
  if (created_by === sub && !(await isUsed())) return;
  throw new Refusal(
    "role_missing",
    "This needs the role owner: whoever made a secret may change it as long as no active skill uses it",
  );
}

function entryOf(deps: Dependencies, actor: Actor, before: SecretRecord | undefined, after: SecretRecord | undefined) {
  const state = ({ description, created_by, revision }: SecretRecord) => ({ description, created_by, revision });
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
