// The slug of a display name. Apart from slug.ts, as any-ascii's tables are half a megabyte that the proxy never needs.
import anyAscii from "any-ascii";

/**
 * The slug of a display name: a to z, 0 to 9 and single inner hyphens, letters of any script romanised. The same name gives
 * the same slug everywhere. Empty if nothing of the name can be written so; never cut, so it may be too long: see `checkSlug`.
 */
export function slugify(name: string): string {
  return name
    .normalize("NFKC")
    .replace(symbols, " ")
    .replace(/\P{ASCII}+/gu, (text) => anyAscii(text).replace(softSigns, ""))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** Emoji, currencies and the like: any-ascii would spell them out. */
const symbols = /\p{S}/gu;
/** What any-ascii writes for letters without a sound of their own, inside of words. */
const softSigns = /['"`]/g;
