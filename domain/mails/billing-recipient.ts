// Why somebody gets a mail about payments.

import type { Platform } from "./words.ts";
import { fullName, type Workspace } from "./workspace-name.ts";

/** @param isNamed whether the owner has given the address for billing */
export type BillingRecipient = { isNamed: boolean };

export function workspaceLine(workspace: Workspace, { brand }: Platform): string {
  return `Workspace: ${fullName(workspace)} on ${brand}`;
}

export function why({ isNamed }: BillingRecipient): string {
  return isNamed
    ? "You get this mail because the workspace's owner has given this address for its billing. The owner can change that in the console."
    : "You get this mail because you own the workspace. In the console you can give other addresses for its billing.";
}
