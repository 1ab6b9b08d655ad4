// Characters that nobody sees: text that a reviewer reads must be the text that a model reads.

/**
 * Default_Ignorable_Code_Point and Bidi_Control are Unicode's own lists of what is not shown and of what changes the order in which
 * text is shown (unicode.org/reports/tr44, unicode.org/reports/tr9). Control characters and Unicode's own line ends are not shown either.
 */
const hidden = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\ufff9-\ufffb]|(?![\t\n\r])\p{Cc}/gu;

/** Scripts whose spelling needs a joiner or a non-joiner between letters (unicode.org/reports/tr31, section 2.3). */
const joining = ["Arab", "Beng", "Deva", "Gujr", "Guru", "Knda", "Mlym", "Orya", "Sinh", "Taml", "Telu"];
const joiningLetter = `[${joining.map((script) => `\\p{scx=${script}}`).join("")}]`;
const visible = new RegExp(
  [
    // Emoji of several parts or with a colour, whose joining characters are not hidden text.
    String.raw`\p{Emoji}\ufe0f?\u20e3`,
    String.raw`\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?(?:\u200d\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)*`,
    `(?<=${joiningLetter})[\\u200c\\u200d](?=${joiningLetter})`,
  ].join("|"),
  "gu",
);

export type HiddenCharacter = {
  /** The number of the line, from 1. */
  line: number;
  /** `U+200B` */
  name: string;
};

/** The first hidden character of each line that has one. */
export function hiddenCharacters(text: string): HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  // Most text has none, and needs no look at its lines.
  if (text.search(hidden) < 0) return found;
  for (const [place, line] of text.split("\n").entries()) {
    const [character] = line.replace(/\r$/, "").replace(visible, "x").match(hidden) ?? [];
    if (character !== undefined) found.push({ line: place + 1, name: codePoint(character) });
  }
  return found;
}

/** Text of strangers for a message: on one line, with each hidden character by its name, and at most 200 characters long. */
export function shown(text: string): string {
  const wellFormed = text.slice(0, 200).replace(/\p{Surrogate}/gu, "?");
  return wellFormed.replace(hidden, codePoint).replace(/[\t\n\r]/g, codePoint) + (text.length > 200 ? "..." : "");
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A line for a reviewer, whole: each hidden character stands there by its name. */
export function visibleLine(line: string): string {
  const wellFormed = line.replace(/\p{Surrogate}/gu, "?");
  return wellFormed.replace(hidden, (character) => `[${codePoint(character)}]`);
}
