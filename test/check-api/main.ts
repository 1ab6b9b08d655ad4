// `npm run check:api`: schemathesis reads the OpenAPI document of a fresh local stack and sends what it allows and what it does not,
// as the owner of the demo workspace. It fails on a 500 and on any answer that the document does not describe.
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
    const api = stack.at("api");
    const { access_token } = await signInAsOwner(stack);
    const args = [
      ...["run", `${api}/v1/openapi.json`, "--url", api, "--header", `Authorization: Bearer ${access_token}`],
      ...["--checks", checks.join(","), "--phases", "examples,coverage,fuzzing", "--mode", "all"],
      ...["--max-examples", values.examples, "--suppress-health-check", "all", "--no-color"],
      ...(values.seed === undefined ? [] : ["--seed", values.seed]),
    ];
    // It keeps what failed where it runs.
    const child = spawn(schemathesis, args, { stdio: "inherit", cwd: dirname(schemathesis) });
    const [code] = await once(child, "exit");
    return code ?? 1;
  } finally {
    await stack.stop();
  }
}

async function signInAsOwner(stack: Stack) {
  const { client_id, redirect_uri, scopes } = describe(stack).clients.token_helper;
  if (!stack.demo) throw new Error("The stack has no demo workspace");
  return signIn({
    authUrl: `${stack.edge}/@auth`,
    clientId: client_id,
    redirectUri: redirect_uri,
    scopes,
    ...stack.demo.owner,
  });
}
