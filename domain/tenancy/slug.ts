// The slug: the one DNS label under which a tenant's proxy answers. Made from the display name, read from the host.

/** A DNS label has at most 63 octets (RFC 1035, section 2.3.4). */
export const maxSlugLength = 63;

/** Labels that would pass for a part of the platform. */
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

/**
 * The slug of a display name: a to z, 0 to 9 and single inner hyphens. The same name gives the same slug everywhere.
 * Empty if nothing of the name can be written so; never cut, so it may be too long: see `checkSlug`.
 */
export function slugify(name: string): string {
  return withoutMarks(name)
    .toLowerCase()
    .replace(/\P{ASCII}/gu, (letter) => transliterations[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** Whether a slug can be a tenant's. Uniqueness is the store's matter. */
export function checkSlug(slug: string): SlugCheck {
  if (slug === "") return { ok: false, reason: "empty" };
  if (slug.length > maxSlugLength) return { ok: false, reason: "too_long" };
  if (!slugPattern.test(slug)) return { ok: false, reason: "malformed" };
  if (reservedSlugs.has(slug)) return { ok: false, reason: "reserved" };
  return { ok: true };
}

/**
 * The slug in a `Host` header: `acme.proxy.example.com` under `proxy.example.com` is `acme`. Case, a port and one
 * trailing dot do not matter. Undefined for every other host.
 */
export function slugOfHost(host: string, proxyDomain: string): string | undefined {
  // Non-ASCII first: toLowerCase would turn the Kelvin sign into a k.
  if (host.length > maxHostLength || !/^[\x21-\x7e]+$/.test(host)) return undefined;
  const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  const suffix = `.${proxyDomain.toLowerCase()}`;
  if (!name.endsWith(suffix)) return undefined;
  const slug = name.slice(0, -suffix.length);
  return slug.length <= maxSlugLength && slugPattern.test(slug) ? slug : undefined;
}

/** A name of 253 octets (RFC 1035), a trailing dot, a colon and a port of five digits. */
const maxHostLength = 260;

/** Splits letters from their marks (é becomes e and an accent) and wide or joined forms into plain ones, then drops the marks. */
function withoutMarks(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "");
}

/**
 * Lower-case letters that Unicode does not decompose: Latin, then Cyrillic and Greek by their usual romanisation
 * (й, ё and accented Greek have lost their marks before). Other scripts have no entry and become hyphens.
 */
const transliterations: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "ß=ss æ=ae œ=oe ø=o ł=l đ=d ð=d þ=th ı=i ħ=h ŧ=t ŋ=ng ə=e",
    "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch",
    "ъ= ы=y ь= э=e ю=yu я=ya є=ye і=i ґ=g ђ=dj ј=j љ=lj њ=nj ћ=c џ=dz",
    "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o",
  ].flatMap((line) => line.split(" ").map((pair) => pair.split("="))),
);
