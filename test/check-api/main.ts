// `npm run check:api`: schemathesis reads the OpenAPI document of a fresh local stack and sends what it allows and what it does not,
// as the owner of the demo workspace, then as a platform administrator. It fails on a 500 and on any answer that the document does not
// describe.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { signIn } from "../../local/demo/sign-in.ts";
import { describe } from "../../local/describe.ts";
import { type Stack, startLocal } from "../../local/stack.ts";
import { installPythonTools, ToolsMissing } from "../support/python-environment.ts";

/** Each one's meaning: schemathesis.readthedocs.io, "Checks". */
const checks = [
  ...["not_a_server_error", "status_code_conformance", "content_type_conformance"],
  ...["response_headers_conformance", "response_schema_conformance", "negative_data_rejection", "unsupported_method"],
];

/** Who asks for what, in this order: the workspace is deleted last, since little is left to ask for afterwards. */
const passes = [
  { as: "owner", operations: ["--exclude-operation-id", "deleteTenant"] },
  { as: "platform_admin", operations: [] },
  { as: "owner", operations: ["--include-operation-id", "deleteTenant"] },
] as const;

const { values } = parseArgs({ options: { examples: { type: "string", default: "50" }, seed: { type: "string" } } });
try {
  const tools = installPythonTools({ script: "check:api", packages: ["schemathesis==4.32.5"] });
  process.exitCode = await check(tools.program("schemathesis"));
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

/** @returns the exit code. */
async function check(schemathesis: string): Promise<number> {
  const stack = await startLocal({ port: 0, ephemeral: true });
  try {
    const codes: number[] = [];
    for (const { as, operations } of passes) {
      console.log(`As ${as} ${operations.join(" ")}`);
      codes.push(await run(schemathesis, stack, await signInAs(stack, as), operations));
    }
    return Math.max(...codes);
  } finally {
    await stack.stop();
  }
}

async function run(schemathesis: string, stack: Stack, token: string, operations: readonly string[]): Promise<number> {
  const api = stack.at("api");
  const args = [
    ...["run", `${api}/v1/openapi.json`, "--url", api, "--header", `Authorization: Bearer ${token}`],
    ...["--checks", checks.join(","), "--phases", "examples,coverage,fuzzing", "--mode", "all", ...operations],
    ...["--max-examples", values.examples, "--suppress-health-check", "all", "--no-color"],
    ...(values.seed === undefined ? [] : ["--seed", values.seed]),
  ];
  // It keeps what failed where it runs.
  const child = spawn(schemathesis, args, { stdio: "inherit", cwd: dirname(schemathesis) });
  const [code] = await once(child, "exit");
  return code ?? 1;
}

/** @returns an access token. */
async function signInAs(stack: Stack, as: "owner" | "platform_admin"): Promise<string> {
  const { client_id, redirect_uri, scopes } = describe(stack).clients.token_helper;
  if (!stack.demo) throw new Error("The stack has no demo workspace");
  const client = { authUrl: `${stack.edge}/@auth`, clientId: client_id, redirectUri: redirect_uri, scopes };
  const { access_token } = await signIn({ ...client, ...stack.demo[as] });
  return access_token;
}
