// IAM's patterns: `*` stands for any text, `?` for one character.

/** @param ignoreCase as for actions; the values of conditions are compared with case */
export function patternOf(text: string, { ignoreCase = false } = {}): RegExp {
  const source = text
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, ignoreCase ? "is" : "s");
}
