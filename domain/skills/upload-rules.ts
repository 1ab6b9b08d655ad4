// What a skill's folder must be. The platform and a client's check ask the same: `examineSkill(files, folder)` answers with all problems, or with
// what the platform will know of the version. It is pure and reads nothing but its arguments; the caller reads the folder's files (without hidden
// files and node_modules, following no links) and gives each by its path within the folder.

import { isCompiled } from "./compiled-code.ts";
import { credentialsIn } from "./credential-shape.ts";
import { type Frontmatter, readFrontmatter } from "./frontmatter.ts";
import { hiddenCharacters, shown } from "./hidden-text.ts";
import type { InputSchema } from "./input-schema.ts";
import { uploadLimits } from "./limits.ts";
import { digestOf, type ManifestFile, manifestOf } from "./manifest.ts";
import { pathProblems } from "./path-rules.ts";
import { type ReviewWarning, reviewWarnings } from "./review-warnings.ts";
import { type RunDeclaration, readRunDeclaration } from "./run-declaration.ts";
import { instructionsPath, type SkillFile, type SkillProblem, utf8TextOf } from "./skill-file.ts";

/** The facts that follow from the files of a valid folder. */
export type ExaminedSkill = {
  name: string;
  description: string;
  kind: "instructions" | "script";
  frontmatter: Frontmatter;
  files: ManifestFile[];
  digest: string;
  warnings: ReviewWarning[];
  run?: RunDeclaration;
  input_schema?: InputSchema;
};

export type Examination = { skill: ExaminedSkill; problems?: never } | { skill?: never; problems: SkillProblem[] };

/** The most problems of an answer: nobody reads more. */
const mostProblems = 50;

/** @param folder the folder's name, where it is known: the skill must have the same */
export function examineSkill(files: readonly SkillFile[], folder?: string): Examination {
  const tooLarge = sizeProblems(files);
  if (tooLarge.length > 0) return { problems: tooLarge.slice(0, mostProblems) };
  const problems = [...pathProblems(files), ...files.flatMap(contentProblems)];
  const instructions = files.find(({ path }) => path === instructionsPath);
  const text = instructions && utf8TextOf(instructions);
  if (!instructions)
    problems.push({ path: instructionsPath, message: "is missing: it stands at the top of the folder" });
  else if (text === undefined) problems.push({ path: instructionsPath, message: "must be a text in UTF-8" });

  const head = text === undefined ? undefined : readFrontmatter(text);
  problems.push(...(head?.problems ?? []));
  const frontmatter = head?.frontmatter;
  if (frontmatter && folder !== undefined && frontmatter.name !== folder) {
    const message = `name: must be that of the folder, which is ${shown(folder)}`;
    problems.push({ path: instructionsPath, message });
  }
  const declared = frontmatter && readRunDeclaration(frontmatter, files);
  problems.push(...(declared?.problems ?? []));
  if (!frontmatter || !declared || problems.length > 0) return { problems: problems.slice(0, mostProblems) };

  const { run, input_schema } = declared;
  const manifest = manifestOf(files);
  return {
    skill: {
      name: frontmatter.name,
      description: frontmatter.description,
      kind: run ? "script" : "instructions",
      frontmatter,
      files: manifest,
      digest: digestOf(manifest),
      warnings: reviewWarnings(frontmatter, files),
      ...(run && { run }),
      ...(input_schema && { input_schema }),
    },
  };
}

/** Nothing else is looked at in a folder that is too large. */
function sizeProblems(files: readonly SkillFile[]): SkillProblem[] {
  const { files: most, fileBytes, bytes, instructionsBytes } = uploadLimits;
  if (files.length > most) return [{ path: "", message: `has ${files.length} files, at most ${most} are allowed` }];
  const large = files.flatMap(({ path, content: { length } }) => {
    const limit = path === instructionsPath ? instructionsBytes : fileBytes;
    return length > limit ? [{ path: shown(path), message: `has ${length} bytes, at most ${limit} are allowed` }] : [];
  });
  const total = files.reduce((sum, { content }) => sum + content.length, 0);
  if (total > bytes) large.push({ path: "", message: `has ${total} bytes, at most ${bytes} are allowed` });
  return large;
}

function contentProblems(file: SkillFile): SkillProblem[] {
  const path = shown(file.path);
  if (isCompiled(file)) return [{ path, message: "is compiled code, which nobody can review" }];
  const text = utf8TextOf(file);
  if (text === undefined) return [];
  const credentials = credentialsIn(text).map(({ name, line }) => ({
    path,
    message: `looks as if it held ${name} in line ${line}: use a secret instead`,
  }));
  const hidden = file.path === instructionsPath ? hiddenCharacters(text).slice(0, 5) : [];
  return [
    ...credentials,
    ...hidden.map(({ line, name }) => ({ path, message: `has a character that nobody sees in line ${line}: ${name}` })),
  ];
}
