// AWS runs this as the function `runner`, with the table, the bucket, and the Code Interpreters.
import { setTimeout as pause } from "node:timers/promises";
import { codeInterpreters } from "../../adapters/agentcore/sandbox.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { runStore } from "../../adapters/dynamodb/runs/runs.ts";
import { secretStore } from "../../adapters/dynamodb/secrets/secrets.ts";
import { skillApprovalStore } from "../../adapters/dynamodb/skills/approvals.ts";
import { environmentStore } from "../../adapters/dynamodb/skills/environments.ts";
import { skillStore } from "../../adapters/dynamodb/skills/skills.ts";
import { secretOpener } from "../../adapters/kms/skill-secrets.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { runObjects } from "../../adapters/s3/run-objects.ts";
import { skillContents } from "../../adapters/s3/skill-contents.ts";
import { runTelemetry } from "../../adapters/telemetry.ts";
import { readEnv } from "../contract.ts";
import { runner } from "./contract.ts";
import { runnerHandler } from "./handler.ts";

const env = readEnv(runner);
const rows = rowsOf(documentClient(), env.TABLE_NAME);

export const handler = runnerHandler({
  runs: runStore(rows),
  skills: skillStore(rows),
  environments: environmentStore(rows),
  approvals: skillApprovalStore(rows),
  secrets: secretStore(rows),
  opener: secretOpener(),
  contents: skillContents(env.SKILLS_BUCKET),
  objects: runObjects(env.SKILLS_BUCKET),
  sandbox: codeInterpreters({ none: env.SANDBOX_INTERPRETER, internet: env.INTERNET_INTERPRETER }),
  telemetry: runTelemetry("runner", env.STACK_NAME),
  log: powertoolsLog("runner"),
  clock: Date.now,
  pause,
});
