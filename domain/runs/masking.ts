// Takes the values of secrets out of what a script gives back. It guards against mistakes: a script that wants to can print a value in
// another form, so approving the script is what protects.

/** Shorter values are not masked: they would hit words that have nothing to do with them. */
const shortestBytes = 4;
/** Lines of a value that has several stand for little by themselves if they are shorter, such as a bracket. */
const shortestLineBytes = 8;
const mask = Buffer.from("[secret]");

/**
 * @param isCut whether more followed: what is left of a value at the end goes, too
 */
export function masked(bytes: Buffer, secrets: readonly string[], isCut = false): Buffer {
  const values = [...new Set(secrets.flatMap(formsOf))].map((form) => Buffer.from(form));
  // A value that contains another one is masked first.
  values.sort((one, other) => other.length - one.length);
  const clean = values.reduce(replaced, bytes);
  return isCut ? clean.subarray(0, clean.length - partAtEnd(clean, values)) : clean;
}

/** The value, as JSON writes it, and each line of one that has several: a key is often printed line by line. */
function formsOf(value: string): string[] {
  if (Buffer.byteLength(value) < shortestBytes) return [];
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  const longLines = lines.filter((line) => Buffer.byteLength(line) >= shortestLineBytes);
  return [value, JSON.stringify(value).slice(1, -1), ...(lines.length > 1 ? longLines : [])];
}

/** How many bytes at the end may be the beginning of a value. */
function partAtEnd(bytes: Buffer, values: readonly Buffer[]): number {
  const lengths = values.map((value) => {
    for (let length = Math.min(value.length - 1, bytes.length); length > 0; length -= 1) {
      if (bytes.subarray(bytes.length - length).equals(value.subarray(0, length))) return length;
    }
    return 0;
  });
  return Math.max(0, ...lengths);
}

function replaced(bytes: Buffer, value: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let place = bytes.indexOf(value); place >= 0; place = bytes.indexOf(value, from)) {
    parts.push(bytes.subarray(from, place), mask);
    from = place + value.length;
  }
  return from === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
}
