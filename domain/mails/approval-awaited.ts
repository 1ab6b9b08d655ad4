// The mail to somebody who signed up alone where the platform's administrators approve people.
import type { Platform, Words } from "./words.ts";

export function approvalAwaited({ brand }: Platform): Words {
  return {
    subject: `Your account at ${brand} waits for approval`,
    parts: [
      `Your account at ${brand} is there. Before you can open a workspace, one of the platform's administrators approves it. You get a mail then; until that you need to do nothing.`,
      "If somebody invites you into a workspace of theirs, you can work there meanwhile.",
      `If you did not sign up at ${brand}, somebody who reads this mailbox did: change its password.`,
    ],
  };
}
