// The name that a client gives itself, as a page may show it.

const longest = 64;

/** Letters, digits, blanks and a few signs: nothing that could turn the direction of writing, hide, or be read as words of the page. */
export function displayedName(name: string | undefined): string | undefined {
  const plain = name
    ?.normalize("NFC")
    .replace(/[^\p{L}\p{N} .,&+()_-]/gu, "")
    .replace(/ +/g, " ")
    .trim();
  return plain ? [...plain].slice(0, longest).join("") : undefined;
}
