// A credential goes where it was given for, and in the way it was given for, whoever changes an integration: sent to another address it could be
// read by whoever is there, and sent in another place it could be repeated by an API in its answer. So a kept credential is never moved, and a
// change that would move it has to bring one.
import { isDeepStrictEqual } from "node:util";
import { fieldRefusal } from "../kernel/refusal.ts";
import { sentSecret, type UpstreamAuth } from "./upstream-auth.ts";

/** Where and how a credential travels. */
export type CredentialWay = {
  auth: UpstreamAuth;
  /** Addresses that it is sent to, or below. */
  addresses: readonly string[];
};

/**
 * @param next the way after the change
 * @param changed the field that an address comes from, in the words of the refusal
 * @throws Refusal secret_missing if a kept credential would leave the way it was given for
 */
export function requireSameWay(kept: CredentialWay, next: CredentialWay, changed: string): void {
  const sent = sentSecret(next.auth);
  if (sent === undefined) return;
  if (!isDeepStrictEqual(sent, sentSecret(kept.auth))) throw moved("auth.secret", "auth changes how it is sent");
  const known = kept.addresses.map(written);
  const isSame = next.addresses.every((address) => known.includes(written(address)));
  if (!isSame) throw moved("auth.secret", `${changed} leads to another address`);
}

/** @param why continues "send it again, because" */
export function moved(field: string, why: string): ReturnType<typeof fieldRefusal> {
  return fieldRefusal("secret_missing", field, `send it again, because ${why}`);
}

/** An address in one spelling: scheme, host, port, path and query as they are asked, without the slash at the end. */
function written(address: string): string {
  const { origin, pathname, search } = new URL(address);
  return `${origin}${pathname.replace(/\/+$/, "")}${search}`;
}
