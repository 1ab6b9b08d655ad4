// The mail of an invitation to somebody who has an account already.
import type { Platform, Words } from "./words.ts";
import { fullName, shortName, type Workspace } from "./workspace-name.ts";

/** @param inviter the owner's address, so that the person knows whom to ask */
export function added(
  { workspace, inviter = "The owner" }: { workspace: Workspace; inviter: string | undefined },
  { brand, consoleUrl }: Platform,
): Words {
  return {
    subject: `You are invited to ${shortName(workspace)} on ${brand}`,
    parts: [
      `${inviter} has added you to the workspace ${fullName(workspace)} on ${brand}.`,
      "You belong to it from your next sign-in on, with the account that you have. The workspace in which you work stays the active one until you choose another.",
      { label: "Choose your workspace", link: `${consoleUrl}/workspaces` },
      "The invitation has no end. If you do not know who this is, do nothing, or leave the workspace there: nobody in it sees your other workspaces.",
    ],
  };
}
