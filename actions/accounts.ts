// Other functions ask the function `accounts` for these actions.
import * as z from "zod";
import { accountStates } from "../domain/people/accounts.ts";

/** Cognito takes 25 such calls a second (docs.aws.amazon.com/cognito/latest/developerguide/quotas.html, "UserAccount"). */
export const accountsOfCall = 25;

const invitation = z.object({
  email: z.string(),
  /** Facts for the words of the mail. */
  workspace: z.object({ name: z.string(), slug: z.string() }),
  inviter: z.string().optional(),
});
const page = z.object({ after: z.string().optional() });
const next = z.string().optional();

export const accountsActions = {
  invite: { input: invitation, result: z.object({ sub: z.string(), state: z.enum(accountStates) }) },
  resend_invitation: { input: invitation, result: z.object({ sent: z.boolean() }) },
  /** A page of the subs of all accounts. */
  list: { input: page, result: z.object({ subs: z.array(z.string()), next }) },
  /** A page of the accounts that were made for an invitation and never signed in to; `changed_at` in milliseconds. */
  list_invited: {
    input: page,
    result: z.object({ accounts: z.array(z.object({ sub: z.string(), changed_at: z.number() })), next }),
  },
  /** Removes an account that was made for an invitation and never signed in to, and no other. */
  remove_invited: { input: z.object({ sub: z.string() }), result: z.object({ removed: z.boolean() }) },
  /** A page of the accounts that were signed up for and never confirmed; `created_at` in milliseconds. */
  list_unconfirmed: {
    input: page,
    result: z.object({ accounts: z.array(z.object({ sub: z.string(), created_at: z.number() })), next }),
  },
  /** Removes an account that nobody confirmed, and no other. */
  remove_unconfirmed: { input: z.object({ sub: z.string() }), result: z.object({ removed: z.boolean() }) },
  /** Ends all sign-ins of an account. */
  end_sign_ins: { input: z.object({ sub: z.string() }), result: z.object({}) },
  /**
   * Removes those accounts of a deleted tenant's people that go with it. `gone` are all of them who have no account any more,
   * also those of an earlier call.
   */
  remove_members: {
    input: z.object({ tenant_id: z.string(), subs: z.array(z.string()).max(accountsOfCall) }),
    result: z.object({ gone: z.array(z.string()), removed: z.int() }),
  },
};
