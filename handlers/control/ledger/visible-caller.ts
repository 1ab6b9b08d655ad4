// Decides whose calls a member may see: an owner sees all callers of the workspace, a developer their own calls.
import type { Actor } from "../../../domain/access/access-rule.ts";
import { fieldRefusal } from "../../../domain/kernel/refusal.ts";

/** The only caller that is shown; undefined shows all. @throws Refusal role_missing */
export function visibleCaller({ role, sub }: Actor, asked: string | undefined): string | undefined {
  if (role === "owner") return asked;
  if (asked === undefined || asked === sub) return sub;
  throw fieldRefusal("role_missing", "caller_id", "this needs the role owner; developers see their own usage only");
}
