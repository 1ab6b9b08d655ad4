// The mail with the code that confirms a sign-up.
import type { Platform, Words } from "./words.ts";

/**
 * @param hours until the sign-up is given up
 * @param others what signs in to accounts that have the address already; a sign-up with a password makes one beside them
 */
export function signUpCode(
  { code, hours, others }: { code: string; hours: number; others: readonly string[] },
  { brand, consoleUrl }: Platform,
): Words {
  const other = others.join(" or ");
  const besides =
    others.length === 0
      ? []
      : [
          `You have an account at ${brand} with this address already, and ${other} signs you in to it. This code makes a second ` +
            `one that has none of its workspaces, and the two cannot be joined. To use the first, leave the code and sign in with ${other}.`,
        ];
  return {
    subject: `Confirm your address for ${brand}`,
    parts: [
      `Somebody, probably you, is signing up to ${brand} with this e-mail address.`,
      ...besides,
      { label: "Your code is", code },
      `Enter it on the page that asks for it, within ${hours} hours.`,
      { label: "If that page is closed, sign in with your address and password, and it asks again", link: consoleUrl },
      "If it was not you, do nothing, and tell nobody the code: without it the sign-up is removed after that time, and the address is free for you.",
    ],
  };
}
