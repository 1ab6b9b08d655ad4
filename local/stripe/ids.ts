// Ids in the form of Stripe: a prefix that tells the kind, and random characters.
import { randomBytes } from "node:crypto";

export function newId(prefix: string, characters = 24): string {
  const text = randomBytes(characters * 2)
    .toString("base64")
    .replaceAll(/[^A-Za-z0-9]/g, "");
  return `${prefix}_${text.slice(0, characters)}`;
}
