// A profile's tokens, where they lie: the refresh token in the keychain or a file, the access token in its cache.

import { removePrivate, writePrivate } from "../command-line/machine/private-file.ts";
import { type Access, accessFile, isToken, parseAccess, readAccess, readBounded } from "./access-cache.ts";
import { type Keychain, works } from "./keychain/keychain.ts";
import type { Profile } from "./profile.ts";

export type Store = "keychain" | "file";

export class Credentials {
  readonly #profile: Profile;
  readonly #keychain: Keychain | undefined;

  constructor(profile: Profile, keychain: Keychain | undefined) {
    this.#profile = profile;
    this.#keychain = keychain;
  }

  /** Chooses where the tokens of a new sign-in go: the keychain, if it works. */
  async chooseStore(): Promise<Store> {
    return this.#keychain && (await works(this.#keychain, this.#profile.name)) ? "keychain" : "file";
  }

  /** The store's name for people. */
  describe(store: Store): string {
    if (store === "keychain" && this.#keychain) return this.#keychain.name;
    return `${this.#profile.file("refresh")}, a file that only your account can read`;
  }

  access(): Access | undefined {
    return readAccess(this.#profile.folder);
  }

  /** The access token of a profile whose folder is read-only, so that it could not be cached. */
  async accessInKeychain(store: Store): Promise<Access | undefined> {
    if (store === "file") return undefined;
    return parseAccess((await this.#keychain?.read(this.#account("access"))) ?? "");
  }

  /** The refresh token; undefined if there is none, or if the stored text is no token. */
  async refreshToken(store: Store): Promise<string | undefined> {
    const text = store === "keychain" ? await this.#keychain?.read(this.#account("refresh")) : this.#refreshInFile();
    return isToken(text) ? text : undefined;
  }

  #refreshInFile(): string | undefined {
    try {
      return readBounded(this.#profile.file("refresh")).trim();
    } catch {
      return undefined;
    }
  }

  /** @throws Error if the token cannot be kept: the sign-in would be lost. */
  async writeRefreshToken(store: Store, token: string): Promise<void> {
    if (store === "keychain" && this.#keychain) await this.#keychain.write(this.#account("refresh"), token);
    else writePrivate(this.#profile.file("refresh"), `${token}\n`);
  }

  /** @throws Failure if the cache cannot be written; the token is then in the keychain at least. */
  async writeAccess(store: Store, access: Access): Promise<void> {
    const text = JSON.stringify(access);
    if (store === "keychain") await this.#keychain?.write(this.#account("access"), text).catch(() => undefined);
    writePrivate(accessFile(this.#profile.folder), text);
  }

  /** Removes both tokens, wherever they are. */
  async wipe(): Promise<void> {
    await this.#keychain?.remove(this.#account("refresh"));
    await this.#keychain?.remove(this.#account("access"));
    removePrivate(this.#profile.file("refresh"));
    removePrivate(accessFile(this.#profile.folder));
  }

  #account(kind: "access" | "refresh"): string {
    return `${this.#profile.name}/${kind}`;
  }
}
