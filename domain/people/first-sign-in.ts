// The first sign-in with an external provider: it is linked to the account that holds the address, or creates a new person.

/** An identity at an external provider. The subject is spelled as by the provider, because its case matters. */
export type ExternalIdentity = { provider: string; subject: string };

/** The custom attribute to which providers map the subject. Usernames hold the subject too, but in lower case. */
export const subjectAttribute = "subject";

export type FirstSignIn = {
  identity: ExternalIdentity;
  email: string | undefined;
  /** True if the provider has verified that the address belongs to the person. */
  isVouchedFor: boolean;
};

/** An account with a password, which may be a mailed one that was not used yet. */
export type NativeAccount = {
  username: string;
  /**
   * True if the address was confirmed, or an invitation was sent to it. False for a sign-up that nobody confirmed: its password was
   * chosen by a person who only typed the address.
   */
  holdsAddress: boolean;
  /** True if a sign-in with the password asks for a second factor. A sign-in with an external provider does not ask for it. */
  hasSecondFactor: boolean;
};

export interface NativeAccounts {
  byEmail(email: string): Promise<NativeAccount | undefined>;
  /** Lets the identity sign in to the account from now on. Repeating it changes nothing. */
  link(account: NativeAccount, identity: ExternalIdentity): Promise<void>;
}

/** A refused sign-in. The person reads the message. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
}

/**
 * Returns the account that the identity signs in to from now on; undefined if it gets an account of its own.
 * @throws SignInRefused if the address is unknown, or the person has not proved to own the account that holds it
 */
export async function joinAccount(accounts: NativeAccounts, signIn: FirstSignIn): Promise<NativeAccount | undefined> {
  const { identity, email, isVouchedFor } = signIn;
  const { provider } = identity;
  if (!email) throw new SignInRefused(`${provider} did not tell your e-mail address, which your account here needs`);
  const account = await accounts.byEmail(email);
  if (!account?.holdsAddress) return undefined;
  if (!isVouchedFor) {
    throw new SignInRefused(
      `${provider} has not confirmed that this e-mail address is yours, and it has an account here: ` +
        `sign in with the password or the mailed invitation, or confirm the address at ${provider} first`,
    );
  }
  // Otherwise a person who reads the mailbox could get past the second factor, which resetting the password does not allow.
  if (account.hasSecondFactor) {
    throw new SignInRefused(
      `this e-mail address has an account here with a second factor, which ${provider} does not ask for: sign in with its password`,
    );
  }
  await accounts.link(account, identity);
  return account;
}
