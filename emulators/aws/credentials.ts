// The keys that the local stack has issued, and their principals.
import { randomBytes } from "node:crypto";
import type { Principal } from "./service.ts";

/** The keys that a client signs with. */
export type Keys = { accessKeyId: string; secretAccessKey: string; sessionToken: string };

export type Credential = Keys & {
  principal: Principal;
  /** Milliseconds since the epoch. The keys of a function's instance do not expire, since AWS renews them. */
  expiresAt?: number;
};

export class Credentials {
  readonly #byAccessKey = new Map<string, Credential>();

  /** Makes temporary keys for a role's session. */
  issue(principal: Principal, expiresAt?: number): Keys {
    const keys: Keys = {
      accessKeyId: `ASIA${randomBytes(8).toString("hex").toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString("base64"),
      sessionToken: randomBytes(96).toString("base64"),
    };
    this.#byAccessKey.set(keys.accessKeyId, { ...keys, principal, ...(expiresAt !== undefined && { expiresAt }) });
    return keys;
  }

  /** Finds a credential, expired or not. */
  find(accessKeyId: string): Credential | undefined {
    return this.#byAccessKey.get(accessKeyId);
  }
}
