// Quotes a name from a request in a message. Text that cannot be a name is not quoted, so messages hold no markup, control characters
// or ARNs.

const name = /^(?!arn:)[\w.:@/[\]-]{1,80}$/i;

/** `model "gpt-4"`, or `model asked for` if the text can be no name. */
export function named(noun: string, text: string): string {
  return name.test(text) ? `${noun} "${text}"` : `${noun} asked for`;
}
