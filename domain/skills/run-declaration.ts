// What a skill with a script says of its run, in `metadata` of its head: archway-run, archway-input, archway-network, archway-timeout. A folder with
// these keys stays valid for every other client.
import * as z from "zod";
import type { Frontmatter } from "./frontmatter.ts";
import { shown } from "./hidden-text.ts";
import { type InputSchema, readInputSchema } from "./input-schema.ts";
import { runSeconds } from "./limits.ts";
import { instructionsPath, type SkillFile, type SkillProblem, suffixOf, utf8TextOf } from "./skill-file.ts";

export const networks = ["none", "internet"] as const;
/** Suffixes by which the sandbox knows how to start a script. */
const scriptSuffixes = [".py", ".js", ".mjs", ".sh"] as const;

export const runSchema = z
  .object({
    path: z.string().describe("Path of the script to run"),
    network: z.enum(networks).describe("`internet`: the script may open network connections"),
    timeout_seconds: z.int().describe("Time limit of the script, in seconds"),
  })
  .meta({ id: "SkillRunDeclaration", description: "How the script is run" });

export type RunDeclaration = z.output<typeof runSchema>;

type Declared = { run?: RunDeclaration; input_schema?: InputSchema; problems: SkillProblem[] };

const keys = ["archway-run", "archway-input", "archway-network", "archway-timeout"];

export function readRunDeclaration({ metadata = {} }: Frontmatter, files: readonly SkillFile[]): Declared {
  const problems: SkillProblem[] = [];
  const say = (key: string, message: string) => {
    problems.push({ path: instructionsPath, message: `metadata.${key}: ${message}` });
  };
  const fileNamed = (key: string, path: string) => {
    const file = files.find((one) => one.path === path);
    if (!file) say(key, `there is no file ${shown(path)}`);
    return file;
  };
  const {
    "archway-run": path,
    "archway-input": input,
    "archway-network": network = "none",
    "archway-timeout": timeout = String(runSeconds.usual),
  } = metadata;

  const declared = Object.keys(metadata).filter((key) => key.startsWith("archway-"));
  for (const key of declared) if (!keys.includes(key)) say(shown(key), `is unknown, allowed: ${keys.join(", ")}`);
  if (path === undefined) {
    for (const key of declared) if (keys.includes(key)) say(key, "has no meaning without archway-run");
    return { problems };
  }
  const script = fileNamed("archway-run", path);
  if (script && !scriptSuffixes.some((suffix) => suffix === suffixOf(path))) {
    say("archway-run", `must end with one of ${scriptSuffixes.join(" ")}`);
  } else if (script && utf8TextOf(script) === undefined) say("archway-run", "must be a text in UTF-8");
  if (!isNetwork(network)) say("archway-network", `must be one of ${networks.join(", ")}`);
  const seconds = /^[1-9]\d{0,2}$/.test(timeout) ? Number(timeout) : Number.NaN;
  if (!(seconds <= runSeconds.most)) say("archway-timeout", `must be "1" to "${runSeconds.most}", in seconds`);

  const schemaFile = input === undefined ? undefined : fileNamed("archway-input", input);
  const read = schemaFile && readInputSchema(schemaFile);
  problems.push(...(read?.problems ?? []));
  if (problems.length > 0 || !isNetwork(network)) return { problems };
  return {
    run: { path, network, timeout_seconds: seconds },
    ...(read?.schema && { input_schema: read.schema }),
    problems,
  };
}

function isNetwork(text: string): text is RunDeclaration["network"] {
  return networks.some((network) => network === text);
}
