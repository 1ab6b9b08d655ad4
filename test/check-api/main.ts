// `npm run check:api`: tools that others wrote judge the control plane's OpenAPI document against a local stack. Schemathesis calls
// everything that it describes (`--examples`, `--seed`), and clients that are generated from it, or that sign in by themselves, work
// through a first day.
// `--only schemathesis` or `--only clients` runs one of them.
import { parseArgs } from "node:util";
import { startLocal } from "../../local/stack.ts";
import { installPythonTools, ToolsMissing } from "../support/python-environment.ts";
import { pythonPackages } from "./clients.ts";
import { runFirstDays } from "./first-days.ts";
import { runSchemathesis } from "./schemathesis.ts";

const options = {
  examples: { type: "string", default: "50" },
  seed: { type: "string" },
  only: { type: "string" },
} as const;
const { values } = parseArgs({ options });

const checks = {
  async clients(): Promise<number> {
    const tools = installPythonTools({ script: "check:api", packages: pythonPackages });
    return onStack((stack) => runFirstDays(stack, tools));
  },

  async schemathesis(): Promise<number> {
    const tools = installPythonTools({ script: "check:api", packages: ["schemathesis==4.32.5"] });
    return onStack((stack) => runSchemathesis(tools.program("schemathesis"), stack, values));
  },
};

try {
  const codes: number[] = [];
  for (const [name, check] of Object.entries(checks)) {
    if (values.only === undefined || values.only === name) codes.push(await check());
  }
  process.exitCode = Math.max(...codes);
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function onStack(check: (stack: Awaited<ReturnType<typeof startLocal>>) => Promise<number>): Promise<number> {
  const stack = await startLocal({ port: 0, ephemeral: true });
  try {
    return await check(stack);
  } finally {
    await stack.stop();
  }
}
