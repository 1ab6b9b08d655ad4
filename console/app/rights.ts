// The console offers some changes of a key, a tool, a skill or a secret by whose it is, beside the reader's role. These rules say when; the API decides again.
import type { Answer } from "./api.ts";

type Reader = Pick<Answer<"GET /v1/me">, "user_id" | "tenant_role">;
type Key = Answer<"GET /v1/keys/{key_id}">;
type Skill = Answer<"GET /v1/skills/{name}">;
type Tools = Answer<"GET /v1/mcp-servers/{server_id}">["tools"];
type Secret = Answer<"GET /v1/secrets">["data"][number];

/** A person's key is rotated by that person alone: the owner would see its secret. */
export function mayRotate({ role, caller_id }: Key, { user_id }: Reader): boolean {
  return role === "service_account" || caller_id === user_id;
}

/** For whom a tool of an integration is, from many to few. */
export const audiences = ["everybody", "owners", "nobody"] as const;
export type Audience = (typeof audiences)[number];

/** For whom rules let a tool be. */
export function audienceOf({ offered, owners_only }: Pick<Tools, "offered" | "owners_only">, tool: string): Audience {
  if (offered && !offered.includes(tool)) return "nobody";
  return owners_only.includes(tool) ? "owners" : "everybody";
}

/** For whom the reader may make a tool be. The owner's rules are narrowed by others, and lifted by the owner alone. */
export function audiencesFor({ set_by_owner }: Tools, tool: string, { tenant_role }: Reader): readonly Audience[] {
  if (tenant_role === "owner" || !set_by_owner) return audiences;
  return audiences.slice(audiences.indexOf(audienceOf(set_by_owner, tool)));
}

/** Whether the reader may see and propose a skill's environment. */
export function mayPropose({ created_by }: Pick<Skill, "created_by">, { user_id, tenant_role }: Reader): boolean {
  return tenant_role === "owner" || created_by === user_id;
}

/** Whether the reader may remove a skill. Once it was active only the owner may. */
export function mayRemoveSkill(skill: Pick<Skill, "created_by" | "activated_at">, reader: Reader): boolean {
  return mayPropose(skill, reader) && (reader.tenant_role === "owner" || skill.activated_at === undefined);
}

/** Whether the reader may give a secret another value. What the owner gave is the owner's. */
export function mayGiveValue({ set_by }: Secret, { user_id, tenant_role }: Reader): boolean {
  return tenant_role === "owner" || set_by === user_id;
}

/**
 * Whether the reader may remove a secret. Only the owner may remove one that an active skill uses.
 * @param activeSkills names of the workspace's active skills
 */
export function mayRemoveSecret(secret: Secret, activeSkills: readonly string[], reader: Reader): boolean {
  const isUsed = secret.used_by.some((name) => activeSkills.includes(name));
  return mayGiveValue(secret, reader) && (reader.tenant_role === "owner" || !isUsed);
}
