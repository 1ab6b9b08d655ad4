// The mail to somebody whom an administrator of the platform has approved.
import type { Platform, Words } from "./words.ts";

export function approved({ brand, consoleUrl }: Platform): Words {
  return {
    subject: `Your account at ${brand} is approved`,
    parts: [
      `One of the administrators of ${brand} has approved your account: you can open a workspace now.`,
      { label: "Open a workspace", link: `${consoleUrl}/onboarding` },
      "If you did not ask for this, do nothing: nobody can sign in without your password or your provider.",
    ],
  };
}
