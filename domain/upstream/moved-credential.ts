// A credential that is kept goes to the hosts it was given for, and to no other: whoever may change an integration's address could have it sent
// to a server of their own, and read it there.
import { fieldRefusal } from "../kernel/refusal.ts";

/** @param field that names another host @throws Refusal secret_missing unless the credential is given with it */
export function requireAnew(secret: string | undefined, field: string): void {
  if (secret !== undefined) return;
  throw fieldRefusal("secret_missing", "auth.secret", `send it anew, because ${field} leads to another host`);
}
