// Whether somebody may use a workspace's gateway, and which of its tools: an active member of an active workspace may. The answer is read again after half a
// minute, and an answer counts for a minute at the most, also while the store is down.
import type { SignOutStore } from "../access/sign-out.ts";
import { Cache, configurationTtlMs } from "../kernel/cache.ts";
import { together } from "../kernel/together.ts";
import type { UserStore } from "../people/user.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import { partsOf } from "./tool-name.ts";
import { reasonAgainstTool, type ToolRulesReader } from "./tool-rules.ts";

/**
 * `reason` is what the person reads, `signedOutAt` when the person last signed out everywhere, in milliseconds. `reasonAgainst` says why a
 * tool is not for the person, by the name that the gateway has for it.
 */
export type Standing =
  | { isOpen: true; signedOutAt?: number; reasonAgainst: (tool: string) => string | undefined }
  | { isOpen: false; reason: string };

export type StandingDependencies = {
  users: Pick<UserStore, "membership">;
  tenants: Pick<TenantStore, "get">;
  signOuts: Pick<SignOutStore, "of">;
  toolRules: ToolRulesReader;
  clock: () => number;
};

/** An answer is read anew after this time and is good until `configurationTtlMs`: between the two the store may be down before calls are refused. */
const freshMs = 30_000;

export function standings({ users, tenants, signOuts, toolRules, clock }: StandingDependencies) {
  const fresh = new Cache<Standing>({ size: 5_000, ttlMs: freshMs, clock });
  const kept = new Cache<Standing>({ size: 5_000, ttlMs: configurationTtlMs, clock });

  return async (sub: string, tenantId: string): Promise<Standing> => {
    const key = `${sub} ${tenantId}`;
    const known = fresh.get(key);
    if (known) return known;
    const readAt = clock();
    try {
      const standing = await read(sub, tenantId);
      fresh.set(key, standing, readAt);
      kept.set(key, standing, readAt);
      return standing;
    } catch {
      const last = kept.get(key);
      return (
        last ?? {
          isOpen: false,
          reason: "The platform cannot look up your membership right now. Try again in a minute.",
        }
      );
    }
  };

  async function read(sub: string, tenantId: string): Promise<Standing> {
    const [membership, tenant, signedOutAt, rules] = await together([
      users.membership(sub, tenantId),
      tenants.get(tenantId),
      signOuts.of(sub),
      toolRules.of(tenantId),
    ]);
    if (membership?.status !== "active") {
      return { isOpen: false, reason: "You are not a member of this workspace any more. Ask its owner." };
    }
    if (tenant?.status === "suspended") {
      return { isOpen: false, reason: "The workspace is suspended. Its owner sees the reason in the console." };
    }
    if (tenant?.status !== "active") return { isOpen: false, reason: "The workspace is deleted." };
    const reasonAgainst = (name: string) => {
      const { target = "", tool } = partsOf(name);
      return reasonAgainstTool(rules.get(target), tool, membership.tenant_role);
    };
    return { isOpen: true, reasonAgainst, ...(signedOutAt !== undefined && { signedOutAt }) };
  }
}
