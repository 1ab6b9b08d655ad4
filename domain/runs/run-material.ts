// What a run needs besides its sandbox: the version's files, what the caller gave, and the environment.
import { together } from "../kernel/together.ts";
import type { SecretOpener, SecretStore } from "../secrets/secret.ts";
import { secretValues } from "../secrets/secret-values.ts";
import { type Environment, type EnvironmentStore, secretsIn } from "../skills/environment.ts";
import type { SkillStore } from "../skills/skill.ts";
import type { SkillContents } from "../skills/skill-version.ts";
import { keyOf, type RunRecord } from "./run.ts";
import type { NamedFile, RunObjects } from "./run-objects.ts";
import type { SessionFile } from "./sandbox.ts";
import { environmentFile, places, wrapper } from "./session-script.ts";

export type RunMaterialDependencies = {
  skills: Pick<SkillStore, "get" | "version">;
  environments: EnvironmentStore;
  secrets: Pick<SecretStore, "get">;
  opener: SecretOpener;
  contents: Pick<SkillContents, "all">;
  objects: Pick<RunObjects, "input">;
};

export type RunMaterial = {
  files: SessionFile[];
  /** Values that must not appear in the run's results. */
  secrets: string[];
  withheld: string[];
};

/** Thrown if a run cannot begin. The message is for its caller. */
export class NotRunnable extends Error {
  override name = "NotRunnable";
}

/** @throws NotRunnable */
export async function materialOf(deps: RunMaterialDependencies, run: RunRecord): Promise<RunMaterial> {
  const { skills, environments, contents, objects } = deps;
  const { tenant_id: tenantId, skill: name } = run;
  const [skill, version, environment, given] = await together([
    skills.get(tenantId, name),
    skills.version(tenantId, name, run.version),
    environments.of(tenantId, name),
    objects.input(keyOf(run)),
  ]);
  const content = version && (await contents.all(version));
  if (!skill || skill.removed_at !== undefined || !version?.run || !content || !given) {
    throw new NotRunnable("The version, or what it was given, has been removed meanwhile");
  }
  // Secrets are for what the owner has approved: nobody else's version sees one.
  const isActive = skill.active_version === run.version;
  const named = secretsIn(environment);
  const values = isActive ? await valuesOf(deps, tenantId, named) : new Map<string, string>();
  return {
    files: [
      ...content.map((file) => ({ ...file, path: `${places.skill}/${file.path}` })),
      ...(given.files ?? []).map(inputFile),
      textFile(places.input, JSON.stringify(given.input ?? {})),
      textFile(places.environment, environmentFile(variables(environment, values))),
      textFile(places.wrapper, wrapper(version.run.path, given.args ?? [])),
    ],
    secrets: [...values.values()],
    withheld: isActive ? [] : named,
  };
}

async function valuesOf(deps: RunMaterialDependencies, tenantId: string, names: readonly string[]) {
  const values = await secretValues(deps, tenantId, names);
  const missing = names.filter((name) => !values.has(name));
  if (missing.length === 0) return values;
  throw new NotRunnable(`These secrets are not there, and have to be set again: ${missing.join(", ")}`);
}

/** A variable whose secret is withheld is not set. */
function variables(environment: Environment, secrets: ReadonlyMap<string, string>): Record<string, string> {
  const set = Object.entries(environment).flatMap(([name, variable]) => {
    const value = "secret" in variable ? secrets.get(variable.secret) : variable.value;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}

const textFile = (path: string, text: string): SessionFile => ({ path, content: Buffer.from(text) });

const inputFile = ({ name, content }: NamedFile): SessionFile => ({
  path: `${places.inputs}/${name}`,
  content: Buffer.from(content, "base64"),
});
