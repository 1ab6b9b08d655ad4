// The identity provider's accounts, as far as invitations and purges need them. The function `accounts` alone administers them.

/** `invited` has an account that was made for an invitation and has not signed in yet. */
export const accountStates = ["created", "invited", "active"] as const;
export type AccountState = (typeof accountStates)[number];

export interface Accounts {
  /**
   * The account of the e-mail address, made if there is none: the identity provider then mails the invitation (`created`). One
   * that somebody signed up for and never confirmed gives way to it: nobody has shown that the address is theirs.
   * @throws Refusal if the identity provider does not take the address
   */
  invite(email: string): Promise<{ sub: string; state: AccountState }>;
  /** Mails the invitation again, with a new temporary password. False for an account that has signed in, or is gone. */
  resend(email: string): Promise<boolean>;
}

export interface InvitedAccounts {
  /** Accounts that were made for an invitation and never signed in to, a page at a time. `changedAt` in milliseconds. */
  listInvited(after?: string): Promise<{ accounts: { sub: string; changedAt: number }[]; next: string | undefined }>;
  /** Removes such an account. False if there is none, or somebody has signed in to it. */
  removeInvited(sub: string): Promise<boolean>;
}

export interface AccountList {
  /** Subs of all accounts, a page at a time. @param after the `next` of the page before */
  list(after?: string): Promise<{ subs: string[]; next: string | undefined }>;
}

export interface AccountRemoval {
  /** Removes the account of the sub, with all its sessions. False if there is none. */
  remove(sub: string): Promise<boolean>;
}
