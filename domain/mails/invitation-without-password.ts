// The mail of an invitation to somebody whose account is there already: of their own, or made by another workspace's invitation.
import type { Platform, Words } from "./words.ts";
import { fullName, shortName, type Workspace } from "./workspace-name.ts";

export type InvitationWithoutPassword = {
  workspace: Workspace;
  /** The owner's address, so that the person knows whom to ask. */
  inviter: string | undefined;
  /** False while the account is unused. Its temporary password is in another invitation's mail then, and stays as it is. */
  hasSignedIn: boolean;
  /** The time until a temporary password and an unused account end. */
  days: number;
};

export function invitationWithoutPassword(
  { workspace, inviter, hasSignedIn, days }: InvitationWithoutPassword,
  { brand, consoleUrl }: Platform,
): Words {
  const whom = inviter ?? "the owner";
  const account = hasSignedIn
    ? [
        "You belong to it once you have accepted, with the account that you have. The workspace in which you work stays the active one until you choose another.",
      ]
    : [
        "Another workspace has invited you before, and the temporary password of your account is in its mail: sign in with that one, or with a provider that the page offers. Then you are asked which of the workspaces you want to belong to.",
        `If that mail is lost, the one who sent it can send another. If it is older than ${days} days, ask ${whom} to send this invitation again: it then has a password.`,
      ];
  const end = hasSignedIn ? "The invitation has no end." : `The invitation ends after ${days} days.`;
  return {
    subject: `You are invited to ${shortName(workspace)} on ${brand}`,
    parts: [
      `${inviter ?? "The owner"} invites you to the workspace ${fullName(workspace)} on ${brand}.`,
      ...account,
      { label: "Accept or decline", link: `${consoleUrl}/workspaces` },
      `${end} If you do not know who this is, do nothing, or decline there: nobody in that workspace sees your other ones.`,
    ],
  };
}
