// The people of the pool, and how one is found: by username, by e-mail address, by external identity.
import { AwsError } from "../../aws/service.ts";
import type { Collection } from "../../store.ts";
import type { Attributes } from "./attributes.ts";

export type UserStatus = "UNCONFIRMED" | "CONFIRMED" | "FORCE_CHANGE_PASSWORD" | "EXTERNAL_PROVIDER";

/** An account at an external provider. */
export type Identity = { providerName: string; providerType: string; userId: string; dateCreated: number };

/** A code that was mailed, and what it is for. */
export type MailedCode = { purpose: "sign-up" | "password"; code: string; expiresAt: number; failures: number };

/** An authenticator app; see software-token.ts. */
export type SoftwareToken = {
  /** Whether a sign-in asks for a code. */
  enabled: boolean;
  /** The secret in base 32, kept once the app's first code was right. */
  secret?: string;
  /** The last step of thirty seconds whose code was taken: no code is taken twice (RFC 6238, 5.2). */
  usedStep?: number;
  /** The secret of an app that is being set up. */
  pending?: string;
};

export type User = {
  /** The `sub` of someone with a password, `<provider>_<id>` in lower case of someone of an external provider. */
  username: string;
  sub: string;
  status: UserStatus;
  /** All attributes but `sub` and `identities`. */
  attributes: Attributes;
  identities: Identity[];
  createdByAdmin: boolean;
  /** The format is that of passwords.ts. */
  passwordHash?: string;
  /** Milliseconds since the epoch. Only a temporary password expires. */
  passwordExpiresAt?: number;
  mailedCode?: MailedCode;
  softwareToken?: SoftwareToken;
  createdAt: number;
  modifiedAt: number;
};

type NewUser = Omit<User, "createdAt" | "modifiedAt" | "mailedCode" | "softwareToken">;

export class Users {
  readonly #stored: Collection<User>;
  readonly #now: () => number;

  constructor(stored: Collection<User>, now: () => number) {
    this.#stored = stored;
    this.#now = now;
  }

  /** @throws AwsError UsernameExistsException if the username or the address is taken. */
  create(user: NewUser): User {
    if (this.#stored.get(user.username)) throw new AwsError("UsernameExistsException", "User already exists");
    if (user.status !== "EXTERNAL_PROVIDER") this.checkAddressFree(user.attributes.email);
    const created: User = { ...user, createdAt: this.#now(), modifiedAt: this.#now() };
    this.#stored.put(user.username, created);
    return created;
  }

  /** @throws AwsError UsernameExistsException if someone else than `owner` signs in with this address. */
  checkAddressFree(email: string | undefined, owner?: User): void {
    const found = email === undefined ? undefined : this.#byAddress(email);
    if (!found || found.username === owner?.username) return;
    throw new AwsError("UsernameExistsException", "An account with the given email already exists.");
  }

  /**
   * Finds a person by username or e-mail address. People of an external provider are found by their username alone
   * (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminDeleteUser.html, "Username").
   */
  find(name: string): User | undefined {
    return this.#stored.get(foldCase(name)) ?? this.#byAddress(name);
  }

  /** @throws AwsError UserNotFoundException */
  get(name: string): User {
    const user = this.find(name);
    if (!user) throw new AwsError("UserNotFoundException", "User does not exist.");
    return user;
  }

  /** The person who signs in with this identity: a linked one, or the identity's own profile. */
  withIdentity(providerName: string, userId: string): User | undefined {
    return this.#stored
      .all()
      .find(({ identities }) => identities.some((own) => own.providerName === providerName && own.userId === userId));
  }

  /** Finds a linked user, also by another case of the provider's id. */
  withIdentityInAnyCase(providerName: string, userId: string): User | undefined {
    const wanted = userId.toLowerCase();
    const matches = (own: Identity) => own.providerName === providerName && own.userId.toLowerCase() === wanted;
    return this.#stored.all().find(({ identities }) => identities.some(matches));
  }

  all(): User[] {
    return this.#stored.all();
  }

  /** Changes the user as it is stored now, whatever happened since the caller read it. @throws AwsError UserNotFoundException */
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
    const wanted = foldCase(email);
    return this.#stored.all().find(({ attributes, status }) => {
      return status !== "EXTERNAL_PROVIDER" && foldCase(attributes.email ?? "") === wanted;
    });
  }
}

/** Usernames and e-mail addresses are compared in lower case, as the pool declares it. */
export function foldCase(text: string): string {
  return text.toLowerCase();
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
