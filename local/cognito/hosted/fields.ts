// The fields that several pages have.

import { passwordHint } from "../people/passwords.ts";
import type { Pool } from "../pool.ts";
import { emailIsUsername } from "../settings.ts";
import type { Field } from "./pages.ts";

/** The field that names the person. */
export function usernameField(pool: Pool, value?: string): Field {
  return emailIsUsername(pool.settings)
    ? { name: "username", label: "Email", type: "email", autocomplete: "username", value }
    : { name: "username", label: "Username", type: "text", autocomplete: "username", value };
}

/** The field of a password that is chosen now. */
export function newPasswordField({ settings }: Pool, label: string): Field {
  const hint = passwordHint(settings.passwordPolicy);
  return { name: "password", label, type: "password", autocomplete: "new-password", hint };
}

export const codeField: Field = { name: "code", label: "Code", type: "code", autocomplete: "one-time-code" };
