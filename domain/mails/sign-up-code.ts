// The mail with the code that confirms a sign-up.
import type { Platform, Words } from "./words.ts";

/** @param hours until the sign-up is given up */
export function signUpCode({ code, hours }: { code: string; hours: number }, { brand, consoleUrl }: Platform): Words {
  return {
    subject: `Confirm your address for ${brand}`,
    parts: [
      `Somebody, probably you, is signing up to ${brand} with this e-mail address.`,
      { label: "Your code is", code },
      `Enter it on the page that asks for it, within ${hours} hours.`,
      { label: "If that page is closed, sign in with your address and password, and it asks again", link: consoleUrl },
      "If it was not you, do nothing, and tell nobody the code: without it the sign-up is removed after that time, and the address is free for you.",
    ],
  };
}
