// IAM's patterns: `*` stands for any text, `?` for one character.

/** @param ignoreCase true for actions; conditions compare their values with case. */
export function patternOf(text: string, { ignoreCase = false } = {}): RegExp {
  const source = text
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, ignoreCase ? "is" : "s");
}
