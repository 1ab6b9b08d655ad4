// The people of the pool, and how one is found: by username, by e-mail address, by external identity.
import { AwsError } from "../../aws/service.ts";
import type { Collection } from "../../store.ts";
import { emailIsUsername, foldCase, type PoolSettings } from "../settings.ts";
import type { Attributes } from "./attributes.ts";

export type UserStatus = "UNCONFIRMED" | "CONFIRMED" | "FORCE_CHANGE_PASSWORD" | "EXTERNAL_PROVIDER";

/** Someone at an external provider. */
export type Identity = { providerName: string; providerType: string; userId: string; dateCreated: number };

/** A code that was mailed, and what it is for. */
export type MailedCode = { purpose: "sign-up" | "password"; code: string; expiresAt: number; failures: number };

/** An authenticator app; see software-token.ts. */
export type SoftwareToken = {
  /** Whether a sign-in asks for a code. */
  enabled: boolean;
  /** In base 32; only of an app whose first code was right. */
  secret?: string;
  /** The last step of thirty seconds whose code was taken: no code is taken twice (RFC 6238, 5.2). */
  usedStep?: number;
  /** The secret of an app that is being set up. */
  pending?: string;
};

export type User = {
  username: string;
  sub: string;
  status: UserStatus;
  /** All but `sub` and `identities`. */
  attributes: Attributes;
  identities: Identity[];
  createdByAdmin: boolean;
  /** See passwords.ts. */
  passwordHash?: string;
  /** Milliseconds since the epoch; only of a temporary password. */
  passwordExpiresAt?: number;
  mailedCode?: MailedCode;
  softwareToken?: SoftwareToken;
  createdAt: number;
  modifiedAt: number;
};

type NewUser = Omit<User, "createdAt" | "modifiedAt" | "mailedCode" | "softwareToken">;

export class Users {
  readonly #stored: Collection<User>;
  readonly #settings: PoolSettings;
  readonly #now: () => number;

  constructor(stored: Collection<User>, settings: PoolSettings, now: () => number) {
    this.#stored = stored;
    this.#settings = settings;
    this.#now = now;
  }

  /** @throws AwsError UsernameExistsException if the username or the address is taken. */
  create(user: NewUser): User {
    const username = this.#fold(user.username);
    this.checkFree(username, user.status === "EXTERNAL_PROVIDER" ? undefined : user.attributes.email);
    const created: User = { ...user, username, createdAt: this.#now(), modifiedAt: this.#now() };
    this.#stored.put(username, created);
    return created;
  }

  /** @throws AwsError UsernameExistsException if the username or the address that people sign in with is taken. */
  checkFree(username: string, email: string | undefined): void {
    if (this.#stored.get(this.#fold(username))) throw new AwsError("UsernameExistsException", "User already exists");
    this.checkAddressFree(email);
  }

  /** @throws AwsError UsernameExistsException if someone else than `owner` signs in with this address. */
  checkAddressFree(email: string | undefined, owner?: User): void {
    const found = email === undefined ? undefined : this.#byAddress(email);
    if (!found || found.username === owner?.username) return;
    throw new AwsError("UsernameExistsException", "An account with the given email already exists.");
  }

  /**
   * By username, `sub` or, where people sign in with it, e-mail address. People of an external provider have their username alone
   * (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminDeleteUser.html, "Username").
   */
  find(name: string): User | undefined {
    const byUsername = this.#stored.get(this.#fold(name));
    const isOwn = ({ sub, status }: User) => sub === name && status !== "EXTERNAL_PROVIDER";
    return byUsername ?? this.#byAddress(name) ?? this.#stored.all().find(isOwn);
  }

  /** @throws AwsError UserNotFoundException */
  get(name: string): User {
    const user = this.find(name);
    if (!user) throw new AwsError("UserNotFoundException", "User does not exist.");
    return user;
  }

  /** Who signs in with this identity: someone linked to it, or its own profile. */
  withIdentity(providerName: string, userId: string): User | undefined {
    return this.#stored
      .all()
      .find(({ identities }) => identities.some((own) => own.providerName === providerName && own.userId === userId));
  }

  /** A link that was made with another case of the provider's id. */
  withIdentityInAnyCase(providerName: string, userId: string): User | undefined {
    const wanted = userId.toLowerCase();
    const matches = (own: Identity) => own.providerName === providerName && own.userId.toLowerCase() === wanted;
    return this.#stored.all().find(({ identities }) => identities.some(matches));
  }

  all(): User[] {
    return this.#stored.all();
  }

  /** Changes the stored user as it is now, whatever happened since it was read. @throws AwsError UserNotFoundException */
  update(username: string, change: (user: User) => User): User {
    const changed = { ...change(this.get(username)), modifiedAt: this.#now() };
    this.#stored.put(changed.username, changed);
    return changed;
  }

  delete(username: string): void {
    this.#stored.delete(username);
  }

  /** Profiles of external providers do not hold their address against others. */
  #byAddress(email: string): User | undefined {
    if (!emailIsUsername(this.#settings)) return undefined;
    const wanted = this.#fold(email);
    return this.#stored.all().find((user) => {
      const { attributes, status } = user;
      return status !== "EXTERNAL_PROVIDER" && this.#fold(attributes.email ?? "") === wanted;
    });
  }

  #fold(text: string): string {
    return foldCase(this.#settings, text);
  }
}

/** All attributes as calls and triggers show them. */
export function allAttributes(user: User): Attributes {
  const identities = user.identities.length > 0 ? { identities: JSON.stringify(identitiesOf(user)) } : {};
  return { sub: user.sub, ...user.attributes, ...identities };
}

/** The identities in the shape of the attribute and of the claim. */
export function identitiesOf({ identities, status }: User) {
  return identities.map(({ userId, providerName, providerType, dateCreated }) => ({
    userId,
    providerName,
    providerType,
    issuer: null,
    primary: String(status === "EXTERNAL_PROVIDER"),
    dateCreated: String(dateCreated),
  }));
}
