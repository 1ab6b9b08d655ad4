// What a caller asked for, as a message repeats it: only what can be a name, so never markup, control characters or an ARN.

const name = /^(?!arn:)[\w.:@/[\]-]{1,80}$/i;

/** `model "gpt-4"`, or `model asked for` if the text can be no name. */
export function named(noun: string, text: string): string {
  return name.test(text) ? `${noun} "${text}"` : `${noun} asked for`;
}
