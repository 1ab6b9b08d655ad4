// The first sign-in with an external provider: it joins the account that holds the address, or makes another person.

/** Somebody at an external provider. The subject is as the provider writes it: its case counts. */
export type ExternalIdentity = { provider: string; subject: string };

/** The custom attribute that providers map it to: usernames, which hold it too, lose its case. */
export const subjectAttribute = "subject";

export type FirstSignIn = {
  identity: ExternalIdentity;
  email: string | undefined;
  /** The provider says that the address is theirs. */
  isVouchedFor: boolean;
};

/** An account with a password of its own, or with a mailed one that was not used yet. */
export type NativeAccount = {
  username: string;
  /**
   * Somebody has shown that they read its mail, or an invitation was sent there. False for a sign-up that nobody confirmed: its
   * password is known to whoever typed the address.
   */
  holdsAddress: boolean;
  /** Whoever signs in with its password is asked for another factor; an external provider's people are not. */
  hasSecondFactor: boolean;
};

export interface NativeAccounts {
  byEmail(email: string): Promise<NativeAccount | undefined>;
  /** From now on the identity signs in to the account. Repeating it changes nothing. */
  link(account: NativeAccount, identity: ExternalIdentity): Promise<void>;
}

/** The person is told why, in these words. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
}

/**
 * The account that the identity signs in to from now on; none if it is to have one of its own.
 * @throws SignInRefused for somebody whose address is unknown, or is another's as far as anybody can tell.
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
  // Otherwise whoever reads the mailbox gets past the factor that resetting the password does not get past.
  if (account.hasSecondFactor) {
    throw new SignInRefused(
      `this e-mail address has an account here with a second factor, which ${provider} does not ask for: sign in with its password`,
    );
  }
  await accounts.link(account, identity);
  return account;
}
