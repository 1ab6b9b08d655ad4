// The mail of an invitation to somebody who has no account yet, with the password of the one that was made for them.

import type { Platform, Words } from "./words.ts";
import { fullName, shortName, type Workspace } from "./workspace-name.ts";

export type Invitation = {
  /** Unknown where an operator makes an account by hand. */
  workspace: Workspace | undefined;
  inviter: string | undefined;
  username: string;
  password: string;
  /** The time until the password and the account end. */
  days: number;
  /** External providers with which the person can sign in instead, e.g. `Google`. */
  providers: readonly string[];
};

export function invitation(invited: Invitation, { brand, consoleUrl }: Platform): Words {
  const { workspace, inviter, username, password, days, providers } = invited;
  const whom = inviter ?? "whoever invited you";
  return {
    subject: workspace ? `You are invited to ${shortName(workspace)} on ${brand}` : `You are invited to ${brand}`,
    parts: [
      workspace
        ? `${inviter ?? "The owner"} invites you to the workspace ${fullName(workspace)} on ${brand}. There is an account for you.`
        : `There is an account for you at ${brand}.`,
      { label: "Sign in", link: consoleUrl },
      { label: "Your username is", code: username },
      { label: "Your temporary password is", code: password },
      `It is good for ${days} days and for one sign-in, which asks you for a password of your own.`,
      `Choose “Sign in”. “Sign up” says that the account exists already, and “Forgot your password?” does not work before the first sign-in: until then the password above is the only one. If it is lost or too old, ask ${whom} to send another.`,
      ...(providers.length > 0
        ? [`${orList(providers)} works too, without this password, with an account that has this address confirmed.`]
        : []),
      "If others invite you before you have signed in, this password stays as it is, and you are asked which of the workspaces you want to belong to.",
      `If you do not know ${inviter ?? "why you got this"}, do nothing: nobody can use the account without this mail, and it is removed after ${days} days.`,
    ],
  };
}

function orList(names: readonly string[]): string {
  return new Intl.ListFormat("en", { type: "disjunction" }).format(names);
}
