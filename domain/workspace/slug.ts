// The slug: the DNS label under which a tenant's proxy answers. `slugify.ts` makes it from the display name.
import { fieldRefusal, type Refusal } from "../kernel/refusal.ts";

/** A DNS label has at most 63 octets (RFC 1035, section 2.3.4). */
export const maxSlugLength = 63;

/** Labels that people could mistake for a part of the platform. */
export const reservedSlugs: ReadonlySet<string> = new Set([
  ..."account accounts admin administrator api app archway assets auth billing blog cdn console control dashboard".split(
    " ",
  ),
  ..."dev docs gateway help id identity internal local localhost login logout mail mcp metrics oauth oauth2".split(" "),
  ..."owner platform proxy root security signin signup sso staging static status support system vendor www".split(" "),
]);

export type SlugProblem = "empty" | "malformed" | "too_long" | "reserved";
export type SlugCheck = { ok: true } | { ok: false; reason: SlugProblem };

const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether a slug is well-formed and not reserved. The store ensures that it is unique. */
export function checkSlug(slug: string): SlugCheck {
  if (slug === "") return { ok: false, reason: "empty" };
  if (slug.length > maxSlugLength) return { ok: false, reason: "too_long" };
  if (!slugPattern.test(slug)) return { ok: false, reason: "malformed" };
  if (reservedSlugs.has(slug)) return { ok: false, reason: "reserved" };
  return { ok: true };
}

/**
 * The slug in a host name: `acme.proxy.example.com` under `proxy.example.com` is `acme`. Case, a port and one
 * trailing dot do not matter. Undefined for every other host.
 */
export function slugOfHost(host: string, proxyDomain: string): string | undefined {
  // Non-ASCII hosts are refused before toLowerCase, which would turn the Kelvin sign into a k.
  if (host.length > maxHostLength || !/^[\x21-\x7e]+$/.test(host)) return undefined;
  const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  const suffix = `.${proxyDomain.toLowerCase()}`;
  if (!name.endsWith(suffix)) return undefined;
  const slug = name.slice(0, -suffix.length);
  return slug.length <= maxSlugLength && slugPattern.test(slug) ? slug : undefined;
}

/** A name of 253 octets (RFC 1035), a trailing dot, a colon and a port of five digits. */
const maxHostLength = 260;

/** The refusal of a name whose address another workspace has, also one that is deleted and not purged yet. */
export function slugTaken(slug: string): Refusal {
  const message = `the address "${slug}" is taken, choose another name; a deleted workspace keeps its address until it is purged`;
  return fieldRefusal("slug_taken", "name", message);
}
