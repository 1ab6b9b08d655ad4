// Names of skills. Each active skill is a tool in people's assistants, beside the tools by which the skills server manages skills.
import { uploadLimits } from "./limits.ts";

/** The skills server's own tools. All of them have a `_` in their names, and no skill has one. */
export const managementTools = [
  ...["list_skills", "read_skill", "upload_skill", "activate_skill", "deactivate_skill", "invoke_skill"],
  ...["download_skill", "get_run", "set_env_vars", "list_secrets", "create_secret"],
] as const;

/** Codex shows its model the tool `create-secret` as `create_secret`, so that the two would be one. */
const takenNames: ReadonlySet<string> = new Set(managementTools.map((tool) => tool.replaceAll("_", "-")));

/** One or more words of small letters and digits with single hyphens between them. */
const form = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Whether some client would take the skill's tool for one of the skills server's own. */
export function isTakenName(name: string): boolean {
  return takenNames.has(name);
}

/** Why a skill cannot have this name; undefined for one that it can have. */
export function nameProblem(name: string): string | undefined {
  if (!form.test(name) || name.length > uploadLimits.nameLength) {
    return `must be 1 to ${uploadLimits.nameLength} of a-z and 0-9 with single hyphens between them`;
  }
  if (isTakenName(name)) {
    return `is taken: some clients write it as ${name.replaceAll("-", "_")}, which is a tool for managing skills`;
  }
  return undefined;
}
