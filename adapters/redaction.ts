// Redacts ARNs and account numbers, which no message and no log may tell.

/** The text without ARNs and account numbers. */
export function redacted(text: string): string {
  return text.replace(/arn:aws[\w-]*:[^\s"',;)]+/gi, "[resource]").replace(/\b\d{12}\b/g, "[account]");
}
