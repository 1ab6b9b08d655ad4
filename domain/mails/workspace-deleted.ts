// The mail to the owner of a workspace that was deleted. It also goes to an owner whose sign-in somebody else has used.
import { type Platform, timeOf, type Words } from "./words.ts";
import { fullName, type Workspace } from "./workspace-name.ts";

/**
 * @param isPaying whether the workspace has a payment method: without one no invoice comes
 * @param purgedAt when everything in it is purged, in milliseconds
 */
type Deleted = { workspace: Workspace; isPaying: boolean; purgedAt: number };

export function workspaceDeleted({ workspace, isPaying, purgedAt }: Deleted, { brand }: Platform): Words {
  return {
    subject: `The workspace is deleted (${workspace.slug})`,
    parts: [
      `You have deleted the workspace ${fullName(workspace)} on ${brand}.`,
      "Its calls are refused within 60 seconds.",
      ...(isPaying ? ["What was used until then comes on a last invoice."] : []),
      `Nobody can bring it back. Everything in it is purged on ${timeOf(purgedAt)}.`,
      `If that was not you, somebody else has your sign-in: change your password, and tell the administrators of ${brand}.`,
    ],
  };
}
