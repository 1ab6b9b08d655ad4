// The paths of a skill's files: each must lead into the skill's folder and be the same file on every system.

import { hiddenCharacters, shown } from "./hidden-text.ts";
import { uploadLimits } from "./limits.ts";
import { instructionsPath, type SkillFile, type SkillProblem } from "./skill-file.ts";

/** Names that Windows gives to devices, with any suffix (learn.microsoft.com/windows/win32/fileio/naming-a-file). */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

/** The problems of all paths that are refused. */
export function pathProblems(files: readonly Pick<SkillFile, "path">[]): SkillProblem[] {
  const own = files.flatMap(({ path }) => {
    const message = problemOf(path);
    return message === undefined ? [] : [{ path: shown(path), message }];
  });
  return [...own, ...twins(files)];
}

function problemOf(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.length > uploadLimits.pathLength) return `must have at most ${uploadLimits.pathLength} characters`;
  if (/\p{Surrogate}/u.test(path) || hiddenCharacters(path).length > 0 || /[\t\n\r]/.test(path)) {
    return "has a control character or one that nobody sees";
  }
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return "must be relative to the skill's folder";
  if (path.includes("\\")) return "must have slashes, not backslashes";
  // A percent sign would be decoded on the way to the file's address.
  if (/[<>:"|?*%]/.test(path)) return 'must not have any of < > : " | ? * %';
  const steps = path.split("/");
  if (steps.some((step) => step === "" || step === "." || step === "..")) return "must not have empty steps, . or ..";
  if (steps.some((step) => step.startsWith(".") || step === "node_modules")) {
    return "hidden files and node_modules do not belong to a skill";
  }
  if (steps.some((step) => /[. ]$/.test(step) || device.test(step))) return "cannot be written on Windows";
  if (steps.length > 1 && sameOnDisk(steps.at(-1) ?? "") === sameOnDisk(instructionsPath)) {
    return `is a skill within the skill: ${instructionsPath} stands at the top alone`;
  }
  return undefined;
}

/** Paths that some file system takes for the same one, and files that are folders of others. */
function twins(files: readonly Pick<SkillFile, "path">[]): SkillProblem[] {
  const known = new Map<string, string>();
  const folders = new Map<string, string>();
  const problems: SkillProblem[] = [];
  for (const { path } of files) {
    const name = sameOnDisk(path);
    const twin = known.get(name);
    if (twin !== undefined) problems.push({ path: shown(path), message: `is the same file as ${shown(twin)}` });
    known.set(name, path);
    const steps = name.split("/");
    for (let depth = 1; depth < steps.length; depth++) folders.set(steps.slice(0, depth).join("/"), path);
  }
  for (const [name, path] of known) {
    const inside = folders.get(name);
    if (inside !== undefined) problems.push({ path: shown(path), message: `is the folder of ${shown(inside)}` });
  }
  return problems;
}

/** The path as file systems without case compare it. Upper case comes first, as it maps ß and ſ to plain letters. */
function sameOnDisk(path: string): string {
  return path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}
