// Makes the slug of a display name. It is apart from slug.ts, because the tables of any-ascii have half a megabyte that the proxy does not need.
import anyAscii from "any-ascii";

/**
 * Returns the slug of a display name: a to z, 0 to 9 and single inner hyphens, with letters of any script romanised. The slug is empty
 * if no character can be written so, and it is never cut, so it may be too long: `checkSlug` tells.
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

/** Emoji, currency signs and other symbols, which any-ascii would spell out. */
const symbols = /\p{S}/gu;
/** Signs that any-ascii writes inside of words for letters without a sound of their own. */
const softSigns = /['"`]/g;
