// The mail with the code that confirms another e-mail address of an account.
import type { Platform, Words } from "./words.ts";

/** Cognito's code lives a day (docs.aws.amazon.com/cognito/latest/developerguide/quotas.html, "user attribute verification"). */
export function addressCode({ code }: { code: string }, { brand }: Platform): Words {
  return {
    subject: `Confirm your new address for ${brand}`,
    parts: [
      `Somebody, probably you, wants to sign in to ${brand} with this e-mail address from now on.`,
      { label: "Your code is", code },
      "Enter it on the page that asks for it, within a day.",
      "If it was not you, do nothing, and tell nobody the code: without it the address stays as it was.",
    ],
  };
}
