// Names of callers: people by their address, service accounts by their key's name, anybody else by their id.
import { useIsOwner, useVisitor } from "../app/page.ts";
import { useRead } from "../app/query.ts";

export function useNames(): (callerId: string) => string {
  const { me } = useVisitor();
  const isOwner = useIsOwner();
  const people = useRead("GET /v1/users", { query: { limit: 100 } }, { enabled: isOwner });
  const keys = useRead("GET /v1/keys", { query: { limit: 100 } });
  const names = new Map<string, string>();
  for (const { caller_id, name, role } of keys.data?.data ?? []) {
    if (role === "service_account" && name) names.set(caller_id, name);
  }
  for (const { user_id, email } of people.data?.data ?? []) if (email) names.set(user_id, email);
  if (me.email) names.set(me.user_id, me.email);
  return (callerId) => names.get(callerId) ?? callerId;
}
