// The head of SKILL.md: YAML between two lines of three dashes, as agentskills.io/specification describes it. It is read by YAML's core schema, which
// knows texts, numbers, true, false and null alone, and without anchors, aliases and tags, so that every reader gets the same.
import { isAlias, isMap, isScalar, type Node, parseDocument, visit } from "yaml";
import { shown } from "./hidden-text.ts";
import { uploadLimits } from "./limits.ts";
import { instructionsPath, type SkillProblem } from "./skill-file.ts";
import { nameProblem } from "./skill-name.ts";

export type Frontmatter = {
  name: string;
  description: string;
  license?: string;
  compatibility?: string;
  metadata?: Record<string, string>;
  [field: string]: unknown;
};

/** The fields of the format. Others belong to one client or another. */
export const knownFields = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"] as const;

/** The deepest nesting that a description of a skill needs. */
const mostLevels = 8;
/** Names of fields that would change JavaScript objects. */
const reserved = ["__proto__", "constructor", "prototype"];

/** @param text of SKILL.md @returns the head as far as it could be read, with all that is wrong with it */
export function readFrontmatter(text: string): { frontmatter?: Frontmatter; problems: SkillProblem[] } {
  const head = headOf(text);
  if (typeof head !== "string") return { problems: [head] };
  const { value, problems } = read(head);
  if (value === undefined) return { problems };
  const found = [...problems, ...fieldProblems(value)];
  return found.length > 0 ? { problems: found } : { frontmatter: value as Frontmatter, problems: [] };
}

function headOf(text: string): string | SkillProblem {
  const first = /^---[ \t]*\r?\n/.exec(text)?.[0];
  if (first === undefined) return wrong("must begin with a line of three dashes and the skill's name and description");
  const rest = text.slice(first.length, first.length + uploadLimits.frontmatterBytes);
  const end = /^---[ \t]*\r?$/m.exec(rest)?.index;
  if (end !== undefined) return rest.slice(0, end);
  return wrong(`must end its head with a line of three dashes within ${uploadLimits.frontmatterBytes} characters`);
}

function read(head: string): { value?: Record<string, unknown>; problems: SkillProblem[] } {
  try {
    const options = { version: "1.2", schema: "core", merge: false, uniqueKeys: true, stringKeys: true } as const;
    const document = parseDocument(head, { ...options, strict: true, logLevel: "silent", prettyErrors: true });
    const [error] = [...document.errors, ...document.warnings];
    // The reader's own words show the lines around, which may be long and hold anything.
    if (error) return refused(`is not valid YAML${error.linePos ? ` in line ${error.linePos[0].line + 1}` : ""}`);
    if (!isMap(document.contents)) return refused("must have fields, as in `name: my-skill`");
    const problem = nodeProblem(document.contents);
    if (problem !== undefined) return refused(problem);
    return { value: document.toJS({ maxAliasCount: 0 }), problems: [] };
  } catch {
    // The reader gives up on deep nesting with an error of its own.
    return refused("is not valid YAML");
  }
}

/** Names what YAML can say and JSON cannot, or what readers of YAML understand differently. */
function nodeProblem(contents: Node): string | undefined {
  let problem: string | undefined;
  const says = (message: string) => {
    problem = message;
    return visit.BREAK;
  };
  visit(contents, {
    Node(_, node, path) {
      if (isAlias(node) || node.anchor !== undefined) return says("must have no anchors and aliases (& and *)");
      if (node.tag !== undefined) return says("must have no tags (!)");
      if (path.filter((parent) => isMap(parent) || "items" in parent).length > mostLevels) {
        return says(`must have at most ${mostLevels} levels`);
      }
      if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value)) {
        return says("must have finite numbers");
      }
      return undefined;
    },
    Pair(_, { key }) {
      const name = isScalar(key) ? String(key.value) : "";
      return reserved.includes(name) ? says(`must not have a field ${name}`) : undefined;
    },
  });
  return problem;
}

function fieldProblems(value: Record<string, unknown>): SkillProblem[] {
  const { name, description, license, compatibility, metadata } = value;
  const problems: SkillProblem[] = [];
  const say = (field: string, message: string) => problems.push(wrong(`${field}: ${message}`));

  const ofName = typeof name === "string" ? nameProblem(name) : textWanted(name);
  if (ofName !== undefined) say("name", ofName);
  if (typeof description !== "string") say("description", textWanted(description));
  else if (description.trim() === "" || description.length > uploadLimits.descriptionLength) {
    say("description", `must have 1 to ${uploadLimits.descriptionLength} characters`);
  }
  if (license !== undefined && typeof license !== "string") say("license", textWanted(license));
  if (compatibility !== undefined && typeof compatibility !== "string") say("compatibility", textWanted(compatibility));
  else if (typeof compatibility === "string" && compatibility.length > uploadLimits.compatibilityLength) {
    say("compatibility", `must have at most ${uploadLimits.compatibilityLength} characters`);
  }
  if (metadata === undefined) return problems;
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
    say("metadata", "must be a map of names to texts");
    return problems;
  }
  for (const [key, text] of Object.entries(metadata)) {
    if (typeof text !== "string") say(`metadata.${shown(key)}`, textWanted(text));
  }
  return problems;
}

/** A number or a date in YAML is not what its author sees: 1.10 is 1.1. */
function textWanted(value: unknown): string {
  return value === undefined ? "is required" : "must be a text: write it in quotes";
}

function refused(message: string): { problems: SkillProblem[] } {
  return { problems: [wrong(`the head ${message}`)] };
}

function wrong(message: string): SkillProblem {
  return { path: instructionsPath, message };
}
