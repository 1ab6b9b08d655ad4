// What a run needs besides its sandbox: the version's files, what the caller gave, and the environment.
import { together } from "../kernel/together.ts";
import type { SecretOpener, SecretStore } from "../secrets/secret.ts";
import { approvedValues } from "../secrets/secret-values.ts";
import type { ApprovalRecord, SkillApprovalStore } from "../skills/approval.ts";
import { type Environment, type EnvironmentStore, secretsIn, variablesOf } from "../skills/environment.ts";
import type { SkillStore } from "../skills/skill.ts";
import type { SkillContents } from "../skills/skill-version.ts";
import { keyOf, type RunRecord } from "./run.ts";
import type { NamedFile, RunObjects } from "./run-objects.ts";
import type { SessionFile } from "./sandbox.ts";
import { environmentFile, places, wrapper } from "./session-script.ts";

export type RunMaterialDependencies = {
  skills: Pick<SkillStore, "get" | "version">;
  environments: EnvironmentStore;
  approvals: Pick<SkillApprovalStore, "of">;
  secrets: Pick<SecretStore, "get">;
  opener: SecretOpener;
  contents: Pick<SkillContents, "all">;
  objects: Pick<RunObjects, "input">;
};

/** The names of what a draft's script does not get. */
type Withheld = { variables: string[]; secrets: string[] };

export type RunMaterial = {
  files: SessionFile[];
  /** Values that must not appear in the run's results. */
  secrets: string[];
  withheld: Withheld;
};

/** Thrown if a run cannot begin. The message is for its caller. */
export class NotRunnable extends Error {
  override name = "NotRunnable";
}

/** @throws NotRunnable */
export async function materialOf(deps: RunMaterialDependencies, run: RunRecord): Promise<RunMaterial> {
  const { skills, contents, objects } = deps;
  const { tenant_id: tenantId, skill: name } = run;
  const [skill, version, given] = await together([
    skills.get(tenantId, name),
    skills.version(tenantId, name, run.version),
    objects.input(keyOf(run)),
  ]);
  const content = version && (await contents.all(version));
  if (!skill || skill.removed_at !== undefined || !version?.run || !content || !given) {
    throw new NotRunnable("The version, or what it was given, has been removed meanwhile");
  }
  const { variables, secrets, withheld } = run.is_draft
    ? drafted(await deps.environments.of(tenantId, name), version.author)
    : await approved(deps, run);
  return {
    files: [
      ...content.map((file) => ({ ...file, path: `${places.skill}/${file.path}` })),
      ...(given.files ?? []).map(inputFile),
      textFile(places.input, JSON.stringify(given.input ?? {})),
      textFile(places.environment, environmentFile(variables)),
      textFile(places.wrapper, wrapper(version.run.path, given.args ?? [])),
    ],
    secrets,
    withheld,
  };
}

type Given = { variables: Record<string, string>; secrets: string[]; withheld: Withheld };

/** The active version's script gets what the owner approved, and nothing that was changed since. */
async function approved(deps: RunMaterialDependencies, { tenant_id, skill, version }: RunRecord): Promise<Given> {
  const approval = await deps.approvals.of(tenant_id, skill);
  if (approval?.version !== version) {
    throw new NotRunnable("The version is not the active one any more: run the skill again");
  }
  const values = await valuesOf(deps, approval);
  const variables = variablesOf(approval.env).flatMap(([name, variable]) => {
    const value = "secret" in variable ? values.get(variable.secret) : variable.value;
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    variables: Object.fromEntries(variables),
    secrets: [...values.values()],
    withheld: { variables: [], secrets: [] },
  };
}

async function valuesOf(deps: RunMaterialDependencies, approval: ApprovalRecord) {
  const { values, missing } = await approvedValues(deps, approval);
  if (missing.length === 0) return values;
  const message = `Secrets that the owner approved are not there any more: ${missing.join(", ")}. Once they are set again, the owner reviews and activates the skill again`;
  throw new NotRunnable(message);
}

/** A draft's script was reviewed by no owner: it gets no secret, and no variable but those that the draft's own author set. */
function drafted(environment: Environment, author: string): Given {
  const plain = variablesOf(environment).flatMap(([name, variable]) =>
    "secret" in variable ? [] : [{ name, ...variable }],
  );
  const [own, others] = [
    plain.filter(({ set_by }) => set_by === author),
    plain.filter(({ set_by }) => set_by !== author),
  ];
  return {
    variables: Object.fromEntries(own.map(({ name, value }) => [name, value])),
    secrets: [],
    withheld: { variables: others.map(({ name }) => name), secrets: secretsIn(environment) },
  };
}

const textFile = (path: string, text: string): SessionFile => ({ path, content: Buffer.from(text) });

const inputFile = ({ name, content }: NamedFile): SessionFile => ({
  path: `${places.inputs}/${name}`,
  content: Buffer.from(content, "base64"),
});
