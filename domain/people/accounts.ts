// The identity provider's accounts, as far as invitations and purges need them. The function `accounts` alone administers them.
import type { Workspace } from "../mails/workspace-name.ts";

/** `invited`: the account was created for an invitation, and nobody has signed in to it yet. */
export const accountStates = ["created", "invited", "active"] as const;
export type AccountState = (typeof accountStates)[number];

/** Data for the mail of an invitation: the workspace, and who invites. */
export type Invited = { workspace: Workspace; inviter: string | undefined };

export interface Accounts {
  /**
   * Returns the account of the e-mail address. If there is none, creates it, and the identity provider mails the invitation
   * (`created`). An account that was signed up for and never confirmed is replaced, because nobody proved to own the address.
   * @throws Refusal if the identity provider does not accept the address, or if its account has not proved it
   */
  invite(email: string, into: Invited): Promise<{ sub: string; state: AccountState }>;
  /** Mails the invitation again, with a new temporary password. Returns false for an account that has signed in or does not exist. */
  resend(email: string, into: Invited): Promise<boolean>;
}

export interface InvitedAccounts {
  /** A page of accounts that were created for an invitation and never signed in to. `changedAt` in milliseconds. */
  listInvited(after?: string): Promise<{ accounts: { sub: string; changedAt: number }[]; next: string | undefined }>;
  /** Removes an account that was created for an invitation. False if there is none, or somebody has signed in to it. */
  removeInvited(sub: string): Promise<boolean>;
}

export interface UnconfirmedAccounts {
  /** A page of accounts that were signed up for and never confirmed. `createdAt` in milliseconds. */
  listUnconfirmed(
    after?: string,
  ): Promise<{ accounts: { sub: string; createdAt: number }[]; next: string | undefined }>;
  /** Removes an account that nobody confirmed. False if there is none, or it is confirmed by now. */
  removeUnconfirmed(sub: string): Promise<boolean>;
}

export interface AccountList {
  /** A page of the subs of all accounts. @param after the `next` of the previous page */
  list(after?: string): Promise<{ subs: string[]; next: string | undefined }>;
}

export interface SignIns {
  /** Ends all sign-ins of the account of the sub, if there is one: their refresh tokens give no more tokens. */
  endSignIns(sub: string): Promise<void>;
}

export interface AccountRemoval {
  /** Removes the account of the sub with all its sessions. Returns false if there is none. */
  remove(sub: string): Promise<boolean>;
}
