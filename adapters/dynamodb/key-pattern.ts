// Patterns of keys: `SKILL#{tenant_id}#{name}` makes the text of a key from its values, and reads the values from a key.

/** `{hour:month}` is the month of the hour, `{email:lower}` in lower case, `{version:9}` a number in nine digits, `{shard:number}` a number as it is. */
const formats = {
  month: { written: (value: unknown) => String(value).slice(0, 7), read: String, text: ".{7}" },
  lower: { written: (value: unknown) => String(value).toLowerCase(), read: String, text: ".*" },
  9: { written: (value: unknown) => String(value).padStart(9, "0"), read: Number, text: "\\d{9}" },
  number: { written: String, read: Number, text: "\\d+" },
} as const satisfies Record<string, Format>;

type Format = { written: (value: unknown) => string; read: (text: string) => string | number; text: string };

const plain: Format = { written: String, read: String, text: "[^#]*" };

type NameOf<P extends string> = P extends `${infer N}:${string}` ? N : P;
type Placeholder<P extends string> = P extends `${string}{${infer N}}${infer Rest}` ? N | Placeholder<Rest> : never;

/** The values that a pattern names. */
export type Values<P extends string> = {
  [N in Placeholder<P> as NameOf<N>]: N extends `${string}:9` | `${string}:number` ? number : string;
};

export class KeyPattern<P extends string = string> {
  readonly pattern: P;
  /** The text before the first value, by which kinds of keys differ: `SKILL#`. */
  readonly prefix: string;
  /** Names of the values, in their order. */
  readonly names: readonly string[];
  readonly #pieces: readonly { text: string; name: string; format: Format }[];
  readonly #end: string;
  readonly #reading: RegExp;

  constructor(pattern: P) {
    this.pattern = pattern;
    const found = [...pattern.matchAll(/([^{]*)\{(\w+)(?::(\w+))?\}/g)];
    this.#pieces = found.map(([, text = "", name = "", format]) => ({
      ...{ text, name },
      format: format === undefined ? plain : formats[format as keyof typeof formats],
    }));
    this.#end = pattern.slice(pattern.lastIndexOf("}") + 1);
    this.prefix = pattern.slice(0, pattern.indexOf("#") + 1);
    this.names = this.#pieces.map(({ name }) => name);
    // The last value may contain what parts the others: ids of callers and requests come from outside.
    const texts = this.#pieces.map(({ text, format }, place) => {
      const isLast = place === found.length - 1 && format === plain;
      return `${text}(${isLast ? ".*" : format.text})`;
    });
    this.#reading = new RegExp(`^${texts.join("")}${this.#end}$`, "s");
  }

  text(values: Values<P>): string {
    let text = "";
    for (const piece of this.#pieces) text += piece.text + piece.format.written(values[piece.name as keyof Values<P>]);
    return text + this.#end;
  }

  /** The beginning that the values make, up to the first value that is not given. */
  beginning(values: Partial<Values<P>>): string {
    let text = "";
    for (const piece of this.#pieces) {
      const value = values[piece.name as keyof Values<P>];
      text += piece.text;
      if (value === undefined) return text;
      text += piece.format.written(value);
    }
    return text + this.#end;
  }

  /** The values in a key; undefined if it has another form. */
  values(text: unknown): Values<P> | undefined {
    const found = this.#reading.exec(String(text));
    if (!found) return undefined;
    const entries = this.#pieces.map(({ name, format }, place) => [name, format.read(found[place + 1] ?? "")]);
    return Object.fromEntries(entries) as Values<P>;
  }
}
