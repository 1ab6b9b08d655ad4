// What can be said on the command line.
import { parseArgs } from "node:util";
import { type VariantName, variantNames } from "./variants.ts";

export type Part = "throughput" | "chunk" | "cold" | "burst";
const usualParts: Part[] = ["throughput", "chunk", "cold"];
/** The burst takes a minute and a half, most of it a rest, and is about the local stack alone. */
const partNames: Part[] = [...usualParts, "burst"];

export type Options = {
  rounds: number;
  /** Of measuring in each cell of each round. */
  seconds: number;
  warmUpSeconds: number;
  chunkRounds: number;
  coldStarts: number;
  variants: VariantName[];
  parts: Part[];
  promptBytes: number;
  /** Another checkout's folder. */
  before: string | undefined;
};

export const usage = `Usage: npm run bench -- [options]

  --quick          a look: 2 rounds of 0.15 seconds, too short for figures to quote
  --rounds N       5 unless given; variants take turns within each
  --seconds S      of measuring each variant in each mode in each round; 0.75 unless given
  --only A,B       variants: ${variantNames.join(", ")}; bare always runs
  --parts A,B      ${usualParts.join(", ")} unless given; burst
  --prompt-bytes N the prompt's length; 1000 unless given
  --before FOLDER  measures the proxy of another checkout in turns with this one
  --help           this text
`;

/** Undefined if the usage is asked for. @throws Error that names the option and what is allowed */
export function readOptions(args: string[]): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      only: { type: "string" },
      parts: { type: "string" },
      "prompt-bytes": { type: "string", default: "1000" },
      before: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { quick } = values;
  return {
    rounds: Math.round(positive("rounds", values.rounds, quick ? 2 : 5)),
    seconds: positive("seconds", values.seconds, quick ? 0.15 : 0.75),
    warmUpSeconds: quick ? 0.1 : 0.4,
    chunkRounds: quick ? 1 : 3,
    coldStarts: quick ? 2 : 7,
    variants: [...new Set<VariantName>(["bare", ...chosen("only", values.only, variantNames)])],
    parts: chosen("parts", values.parts ?? usualParts.join(), partNames),
    promptBytes: Math.round(positive("prompt-bytes", values["prompt-bytes"], 1000)),
    before: values.before,
  };
}

function positive(name: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (!(value > 0)) throw new Error(`--${name}: must be a number above 0`);
  return value;
}

function chosen<Name extends string>(name: string, text: string | undefined, known: readonly Name[]): Name[] {
  if (text === undefined) return [...known];
  return text.split(",").map((word) => {
    const found = known.find((candidate) => candidate === word.trim());
    if (!found) throw new Error(`--${name}: "${word}" is none of ${known.join(", ")}`);
    return found;
  });
}
