// The mail with the code for a new password.
import type { Platform, Words } from "./words.ts";

/** Cognito's code lives an hour (docs.aws.amazon.com/cognito/latest/developerguide/quotas.html, "ForgotPassword"). */
export function passwordCode({ code }: { code: string }, { brand, consoleUrl }: Platform): Words {
  return {
    subject: `Your new password for ${brand}`,
    parts: [
      `Somebody, probably you, has forgotten the password of your account at ${brand}.`,
      { label: "Your code is", code },
      "Enter it on the page that asks for it, within an hour, and choose a new password.",
      "If somebody else may know the old one, sign out everywhere after that, in the console.",
      { label: "If that page is closed, begin again with “Forgot your password?”", link: consoleUrl },
      "If it was not you, do nothing, and tell nobody the code: your password stays as it is. Nobody can change it without this mailbox.",
    ],
  };
}
