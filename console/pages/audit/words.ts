// The audit trail in people's words: each entry's action, who did it, and what it was done to.
import type { Answer } from "../../app/api.ts";

export type Entry = Answer<"GET /v1/audit">["data"][number];

/** Actions that are only on the platform's own trail, which the console does not show. */
type PlatformAction =
  | ("user.sign_up" | "user.approve" | "tenant.undo" | "tenant.search")
  | ("invoice.difference" | "billing.owed" | "billing.settle" | "billing.debt_left");

/** The words of each action of a workspace's trail. */
export const actionWords: Readonly<Record<Exclude<Entry["action"], PlatformAction>, string>> = {
  "user.invite": "Invited a person",
  "user.resend": "Sent an invitation again",
  "user.expire": "An invitation ended",
  "user.join": "Joined the workspace",
  "user.decline": "Declined an invitation",
  "user.link": "Linked a sign-in",
  "user.remove": "Removed a person",
  "user.sign_out": "Signed out everywhere",
  "grant.put": "Set a grant",
  "grant.delete": "Took a grant away",
  "key.create": "Created a key",
  "key.update": "Changed a key",
  "key.rotate": "Rotated a key",
  "key.revoke": "Revoked a key",
  "mcp_gateway.create": "Created the MCP gateway",
  "mcp_gateway.rotate": "Made a new gateway secret",
  "mcp_gateway.delete": "Removed the MCP gateway",
  "mcp_server.create": "Added an integration",
  "mcp_server.update": "Changed an integration",
  "mcp_server.delete": "Removed an integration",
  "skill.upload": "Uploaded a skill",
  "skill.activate": "Activated a skill",
  "skill.deactivate": "Deactivated a skill",
  "skill.env": "Changed a skill's environment",
  "skill.delete": "Removed a skill",
  "secret.put": "Set a secret",
  "secret.delete": "Removed a secret",
  "tenant.create": "Opened the workspace",
  "tenant.update": "Changed the settings",
  "tenant.activate": "Switched to the workspace",
  "tenant.suspend": "Suspended the workspace",
  "tenant.resume": "Resumed the workspace",
  "tenant.delete": "Deleted the workspace",
  "tenant.purge_request": "Asked for the purge",
  "tenant.purge": "Purged the workspace",
  "tenant.payment_method": "The payment method changed",
  "tenant.tier": "The tier changed",
  "tenant.billing_contact": "The billing contact changed",
  "tenant.read": "Looked at the workspace",
  "tenant.read_users": "Looked at the people",
  "tenant.read_usage": "Looked at the usage",
  "tenant.read_audit": "Looked at this trail",
  "subscription.renew": "Renewed the subscription",
  "subscription.end": "The subscription ended",
  "customer.delete": "The billing customer was deleted",
  "payment.dispute": "A payment was disputed",
  "payment.refund": "A payment was refunded",
  "invoice.credit": "An invoice was credited",
  "invoice.untaxed": "An invoice has no tax",
  "invoice.finalization_failed": "An invoice could not be made final",
};

export const wordsOf = (action: string): string => (actionWords as Record<string, string>)[action] ?? action;

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
