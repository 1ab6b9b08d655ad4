// A failure ends a command with one line for people and an exit code for scripts.

/** The exit codes, as the README documents them. */
export const exitCodes = {
  /** Every other failure: the platform refused, or a file cannot be written. */
  failed: 1,
  usage: 2,
  /** Nobody is signed in, and this call could not ask. */
  signInNeeded: 3,
  /** The platform cannot be reached or answers nonsense: try again later. */
  unreachable: 4,
} as const;

export class Failure extends Error {
  readonly exitCode: number;

  /** @param message a sentence without a secret; what others wrote in it is made harmless when it is printed. */
  constructor(kind: keyof typeof exitCodes, message: string) {
    super(message);
    this.exitCode = exitCodes[kind];
  }
}

const longest = 600;

/** Makes a text one printable line: whoever wrote it, no control character reaches the terminal. */
export function oneLine(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/ +/g, " ")
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}...` : line;
}
