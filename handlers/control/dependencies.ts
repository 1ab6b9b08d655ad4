// What the control plane's handler works with; lambda.ts brings the real ones.
import type { Catalog } from "../../domain/catalog.ts";
import type { TokenVerifier } from "../../domain/credential.ts";
import type { GrantStore } from "../../domain/grant.ts";
import type { ClaimStore } from "../../domain/idempotency.ts";
import type { ApiKeyStore, Random } from "../../domain/key.ts";
import type { Log } from "../../domain/log.ts";
import type { Region } from "../../domain/region.ts";
import type { TenantStore } from "../../domain/tenant.ts";
import type { TenantEffects } from "../../domain/tenant-creation.ts";
import type { UserStore } from "../../domain/user.ts";

export type ControlDependencies = {
  tokens: TokenVerifier;
  tenants: TenantStore;
  /** For an owner who works in this app client. */
  tenantEffects: (clientId: string) => TenantEffects;
  users: UserStore;
  grants: GrantStore;
  apiKeys: ApiKeyStore;
  claims: ClaimStore;
  catalog: Catalog;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** A new UUID. */
  newId: () => string;
  random: Random;
  log: Log;
  settings: {
    scopePrefix: string;
    proxyDomain: string;
    vendorSegment: string;
    defaultRegion: Region;
    approval: "automatic" | "manual";
  };
};
