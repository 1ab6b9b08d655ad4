// The audit trail in people's words: each entry's action, who did it, and what it was done to.
import { auditWords } from "../../../domain/workspace/audit-actions.ts";
import type { Answer } from "../../app/api.ts";

export type Entry = Answer<"GET /v1/audit">["data"][number];

/** The words of each action of a workspace's trail. */
export const actionWords: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(auditWords).flatMap(([action, words]) => (words === null ? [] : [[action, words]])),
);

export const wordsOf = (action: string): string => actionWords[action] ?? action;

const isId = (text: string) => /^[0-9a-f]{8}-/.test(text);

/** @param brand the platform's name, for what it did by itself */
export function actorName({ actor, actor_email, actor_role }: Entry, brand: string): string {
  if (actor_email !== undefined) return actor_email;
  if (actor_role !== undefined || actor === "operator") return `${brand}'s operators`;
  if (actor === "stripe") return "Stripe";
  return isId(actor) ? actor : brand;
}

export type Names = { caller: (id: string) => string; key: (id: string) => string; workspace: string };

/** The name of the thing that an entry's action changed, or its id if the workspace knows no name. */
export function targetName(entry: Entry, { caller, key, workspace }: Names): string {
  const { action, target, tenant_id, target_email, before, after } = entry;
  if (target_email !== undefined) return target_email;
  if (isOfKey(entry)) return key(target);
  if (isOfCaller(entry)) return caller(target);
  if (target === tenant_id) return action.startsWith("mcp_gateway.") ? "the gateway" : workspace;
  const name = after?.name ?? before?.name;
  return typeof name === "string" ? name : target;
}

export const isOfKey = ({ action }: Entry): boolean => action.startsWith("key.");

/** Addresses of members are with the entries; service accounts and who was only invited have their names elsewhere. */
export const isOfCaller = ({ action, target, target_email }: Entry): boolean =>
  target.startsWith("sa_") || (target_email === undefined && /^(user|grant)\./.test(action));

/** The fields that changed, each with what it was and is, but for the ids that the entry is of. */
export function changesOf({
  before = {},
  after = {},
  tenant_id,
  target,
}: Entry): { field: string; was: string; is: string }[] {
  const text = (value: unknown) =>
    value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value).replaceAll(",", ", ");
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((field) => ({ field, was: text(before[field]), is: text(after[field]) }))
    .filter(({ was, is }) => was !== is && ![tenant_id, target].includes(was || is));
}
