// The mail to the owner of a workspace that was deleted. An owner learns from it, too, that somebody else has used their sign-in.
import { type Platform, timeOf, type Words } from "./words.ts";
import { fullName, type Workspace } from "./workspace-name.ts";

/**
 * @param isPaying whether the workspace has a payment method: without one no invoice comes
 * @param purgedAt the time after which the daily purge takes everything in it, in milliseconds
 */
type Deleted = { workspace: Workspace; isPaying: boolean; purgedAt: number };

export function workspaceDeleted({ workspace, isPaying, purgedAt }: Deleted, { brand }: Platform): Words {
  return {
    subject: `The workspace is deleted (${workspace.slug})`,
    parts: [
      `You have deleted the workspace ${fullName(workspace)} on ${brand}.`,
      "Its calls are refused within 60 seconds.",
      ...(isPaying ? ["What was used until then comes on a last invoice."] : []),
      `Nobody can bring it back. Everything in it is purged after ${timeOf(purgedAt)}.`,
      `If that was not you, somebody else has your sign-in: change your password, and tell the administrators of ${brand}.`,
    ],
  };
}
