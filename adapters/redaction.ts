// What never leaves in a message or a log: ARNs and account numbers.

/** The text without them. */
export function redacted(text: string): string {
  return text.replace(/arn:aws[\w-]*:[^\s"',;)]+/gi, "[resource]").replace(/\b\d{12}\b/g, "[account]");
}
