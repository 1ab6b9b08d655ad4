// A skill's files, written into a new folder: nothing that is there is overwritten, and nothing becomes executable.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathProblems } from "../../../domain/skills/path-rules.ts";
import { Failure } from "../../command-line/failure.ts";
import type { FolderFile } from "./skill-folder.ts";

/**
 * @param folder that is made, with the skill's name
 * @throws Failure if it is there already, or a path would lead out of it: nothing of it is then left.
 */
export async function writeSkill(folder: string, files: FolderFile[]): Promise<void> {
  const [problem] = pathProblems(files);
  if (problem) throw new Failure("failed", `${problem.path}: ${problem.message}`);
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === "EEXIST" ? "is there already, and nothing is overwritten" : `cannot be made: ${error.code}`;
    throw new Failure("failed", `${folder} ${why}`);
  });
  try {
    for (const { path, content } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content, { flag: "wx", mode: 0o644 });
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Failure("failed", `${folder} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}
