// What the owner approved by activating a skill: one version, together with the environment that its script gets. It is a copy. Whatever others change
// later, a variable, a reference or a secret's value, waits for the next activation. A value that the owner gives a secret counts at once, since the
// owner has approved both.
import * as z from "zod";
import { type Environment, environmentRecordSchema, variablesOf } from "./environment.ts";
import { sha256 } from "./manifest.ts";

/** A secret, as far as an approval knows it: its value is the tenant's ciphertext, and another one if `value_id` is another one. */
export type ReferredSecret = {
  name: string;
  /** Made with the secret: one that was removed and made again is another one. */
  secret_id: string;
  value_id: string;
  /** Who gave the value, and when. */
  set_by: string;
  updated_at: string;
  sealed?: string | undefined;
};

const approvedSecretSchema = z.object({
  secret_id: z.string(),
  value_id: z.string(),
  set_by: z.string(),
  updated_at: z.iso.datetime(),
  /** The value, if others than the owner gave it. The owner's is read where it is, because nobody else can replace it. */
  sealed: z.string().optional(),
});

export const approvalRecordSchema = z.object({
  tenant_id: z.string(),
  name: z.string(),
  version: z.int(),
  env: environmentRecordSchema.shape.env,
  /** The secrets that it refers to and that were there, by their names. */
  secrets: z.record(z.string(), approvedSecretSchema),
  env_digest: z.string(),
  approved_by: z.string(),
});

export type ApprovalRecord = z.output<typeof approvalRecordSchema>;

export interface SkillApprovalStore {
  /** The approval of an active skill; undefined for an inactive one. */
  of(tenantId: string, name: string): Promise<ApprovalRecord | undefined>;
  /** Takes the value of a removed secret out of a skill's approval, if it is that secret's. */
  forget(tenantId: string, name: string, secret: Pick<ReferredSecret, "name" | "secret_id">): Promise<void>;
}

/**
 * The digest of an environment: SHA-256 over each variable's name and who set it, with its value, or with its secret and which of its values that is
 * and who gave it, in the order of the names, as JSON without blanks.
 */
export function environmentDigest(environment: Environment, secrets: readonly ReferredSecret[]): string {
  const entries = variablesOf(environment).map(([name, variable]) => {
    if (!("secret" in variable)) return { name, set_by: variable.set_by, value: variable.value };
    const { secret_id = null, value_id = null, set_by = null } = secretNamed(secrets, variable.secret) ?? {};
    return { name, set_by: variable.set_by, secret: variable.secret, secret_id, value_id, secret_set_by: set_by };
  });
  return sha256(JSON.stringify(entries));
}

type Approved = Omit<ApprovalRecord, "secrets" | "env_digest">;

/** @param secrets all of the workspace; one that is not there is not approved, also if it is made later */
export function approvalOf(approved: Approved, secrets: readonly ReferredSecret[]): ApprovalRecord {
  const referred = variablesOf(approved.env).flatMap(([, variable]) => {
    const found = "secret" in variable ? secretNamed(secrets, variable.secret) : undefined;
    return found ? [found] : [];
  });
  const kept = referred.map(({ name, secret_id, value_id, set_by, updated_at, sealed }) => {
    const isOthers = set_by !== approved.approved_by;
    return [name, { secret_id, value_id, set_by, updated_at, ...(isOthers && { sealed }) }] as const;
  });
  return { ...approved, secrets: Object.fromEntries(kept), env_digest: environmentDigest(approved.env, secrets) };
}

/**
 * The secret as a script of the approved version gets it.
 * @param current the secret of that name; undefined if there is none
 * @returns undefined if the approved secret is not there any more
 */
export function secretInEffect(
  { secrets, approved_by }: Pick<ApprovalRecord, "secrets" | "approved_by">,
  name: string,
  current: ReferredSecret | undefined,
): ReferredSecret | undefined {
  const approved = secrets[name];
  if (!approved || !current || current.secret_id !== approved.secret_id) return undefined;
  return current.set_by === approved_by ? current : { name, ...approved };
}

/** The secrets as the approved version's script gets them. */
export function secretsInEffect(approval: ApprovalRecord, secrets: readonly ReferredSecret[]): ReferredSecret[] {
  return Object.keys(approval.secrets).flatMap((name) => {
    const found = secretInEffect(approval, name, secretNamed(secrets, name));
    return found ? [found] : [];
  });
}

export function secretNamed<T extends { name: string }>(secrets: readonly T[], name: string): T | undefined {
  return secrets.find((secret) => secret.name === name);
}
