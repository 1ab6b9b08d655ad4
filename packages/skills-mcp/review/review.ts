// What a reviewer sees of a version: every file whole, what differs from the active version, and all that it would be given.
import { exitCodes, Failure } from "../../command-line/failure.ts";
import type { Env, SkillDetail, Version } from "../api/shapes.ts";
import type { SkillsApi } from "../api/skills-api.ts";
import { type VariableReview, variablesUnderReview } from "./environment-review.ts";
import { type FileReview, fileReview } from "./file-review.ts";

export type Review = Pick<
  Version,
  "name" | "version" | "digest" | "kind" | "description" | "warnings" | "author" | "change"
> & {
  active_version: number | undefined;
  /** The script, what it may reach and how long it may take; undefined for instructions. */
  run: Version["run"];
  env: VariableReview[];
  env_digest: string;
  files: FileReview[];
};

/** @throws Failure for a person who may not activate: the platform tells the owner alone what an activation covers. */
export async function requireActivator(
  api: Pick<SkillsApi, "env">,
  name: string,
): Promise<Env & { env_digest: string }> {
  const env = await api.env(name).catch((error) => {
    if (error instanceof Failure && error.exitCode === exitCodes.failed) return undefined;
    throw error;
  });
  if (env?.env_digest !== undefined) return { ...env, env_digest: env.env_digest };
  throw new Failure("failed", `only the workspace's owner activates skills: ask them to review and activate ${name}`);
}

/** @throws Failure, also for a file that is not what the version lists. */
export async function reviewOf(api: SkillsApi, name: string, number: number): Promise<Review> {
  const [skill, version, env] = await Promise.all([
    api.skill(name),
    api.version(name, number),
    requireActivator(api, name),
  ]);
  const before = await activeOf(api, skill, number);
  const now = await api.files(name, number, version.files);
  const old = before ? await filesBefore(api, before, version, now) : new Map<string, Uint8Array>();
  const paths = [...new Set([...now.keys(), ...old.keys()])].toSorted();
  const files = paths.map((path) => fileReview(path, old.get(path), now.get(path)));
  const { digest, kind, description, warnings, author, change, run } = version;
  const { active_version } = skill;
  return {
    name,
    version: number,
    digest,
    kind,
    description,
    warnings,
    author,
    change,
    active_version,
    run,
    env: variablesUnderReview(env),
    env_digest: env.env_digest,
    files,
  };
}

/** A version that is active is compared with nothing. */
async function activeOf(api: SkillsApi, { name, active_version }: SkillDetail, number: number) {
  if (active_version === undefined || active_version === number) return undefined;
  return api.version(name, active_version);
}

/** The files of the active version. What the new one has as well is not read again. */
async function filesBefore(api: SkillsApi, before: Version, { files }: Version, now: Map<string, Uint8Array>) {
  const isKept = (old: Version["files"][number]) =>
    files.some(({ path, digest }) => path === old.path && digest === old.digest);
  const changed = before.files.filter((old) => !isKept(old));
  const kept = before.files.filter(isKept).map(({ path }) => [path, now.get(path) ?? new Uint8Array()] as const);
  return new Map([...kept, ...(await api.files(before.name, before.version, changed))]);
}
