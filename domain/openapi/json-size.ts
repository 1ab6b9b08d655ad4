// Measures a document before anything else walks it: an alias of YAML can make a small text a huge or an endless document.

/** The deepest nesting: no description of an API nests deeper. */
const deepest = 100;

export type DocumentSize = "fits" | "too_large" | "too_deep";

/** @param mostBytes of the document as JSON, roughly: the texts and a few characters around each */
export function sizeOf(document: unknown, mostBytes: number): DocumentSize {
  let left = mostBytes;
  const measure = (value: unknown, depth: number): DocumentSize => {
    if (depth > deepest) return "too_deep";
    left -= typeof value === "string" ? value.length + 2 : 4;
    if (left < 0) return "too_large";
    if (typeof value !== "object" || value === null) return "fits";
    for (const [name, member] of Object.entries(value)) {
      left -= Array.isArray(value) ? 1 : name.length + 4;
      const size = measure(member, depth + 1);
      if (size !== "fits") return size;
    }
    return "fits";
  };
  return measure(document, 0);
}
