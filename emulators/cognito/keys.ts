// The pool's signing keys, made on the first start and kept. ID and access tokens have a key each, as in Cognito.
import { randomBytes } from "node:crypto";
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { Collection } from "../store.ts";

export type TokenUse = "id" | "access";

export type SigningKey = { kid: string; privateKey: CryptoKey; publicJwk: JWK };

/** A private key in the store, by its use. */
type StoredKey = { use: TokenUse; jwk: JWK };

export class SigningKeys {
  readonly #keys: Promise<Record<TokenUse, SigningKey>>;

  constructor(stored: Collection<StoredKey>) {
    this.#keys = Promise.all([key(stored, "id"), key(stored, "access")]).then(([id, access]) => ({ id, access }));
  }

  async of(use: TokenUse): Promise<SigningKey> {
    return (await this.#keys)[use];
  }

  /** The content of `jwks.json`. */
  async publicKeys(): Promise<{ keys: JWK[] }> {
    const { id, access } = await this.#keys;
    return { keys: [id.publicJwk, access.publicJwk] };
  }
}

async function key(stored: Collection<StoredKey>, use: TokenUse): Promise<SigningKey> {
  const jwk = stored.get(use)?.jwk ?? (await newKey(stored, use));
  const { kty, n, e, kid } = jwk as JWK & { kid: string };
  const publicJwk = { alg: "RS256", e, kid, kty, n, use: "sig" } as JWK;
  return { kid, privateKey: (await importJWK(jwk, "RS256")) as CryptoKey, publicJwk };
}

async function newKey(stored: Collection<StoredKey>, use: TokenUse): Promise<JWK> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: randomBytes(32).toString("base64") };
  stored.put(use, { use, jwk });
  return jwk;
}
