// `npm run check:api`: schemathesis reads the OpenAPI document of a fresh local stack and sends what it allows and what it does not,
// as the owner of the demo workspace, then as a platform administrator. It fails on a 500 and on any answer that the document does not
// describe.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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

type Pass = {
  as: "owner" | "platform_admin";
  /** What the paths name: generated, or what there is. */
  ids: "made_up" | "real";
  except?: readonly string[];
  only?: readonly string[];
};

/** What ends something comes last: little is left to ask for afterwards. */
const ending = ["rotateKey", "revokeKey", "deleteTenant"];
const passes: Pass[] = [
  { as: "owner", ids: "made_up", except: ["deleteTenant"] },
  { as: "owner", ids: "real", except: ending },
  { as: "owner", ids: "real", only: ["rotateKey", "revokeKey"] },
  { as: "platform_admin", ids: "real" },
  { as: "owner", ids: "real", only: ["deleteTenant"] },
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
  const folder = await mkdtemp(join(tmpdir(), "check-api-"));
  try {
    const config = join(folder, "schemathesis.toml");
    await writeFile(config, configOf(await idsIn(stack)));
    const codes: number[] = [];
    for (const pass of passes) {
      console.log(`\n${JSON.stringify(pass)}`);
      codes.push(await run(schemathesis, stack, pass, pass.ids === "real" ? ["--config-file", config] : []));
    }
    return Math.max(...codes);
  } finally {
    await rm(folder, { recursive: true });
    await stack.stop();
  }
}

async function run(
  schemathesis: string,
  stack: Stack,
  { as, only = [], except = [] }: Pass,
  options: string[],
): Promise<number> {
  const api = stack.at("api");
  const token = await signInAs(stack, as);
  const args = [
    ...[...options, "run", `${api}/v1/openapi.json`, "--url", api, "--header", `Authorization: Bearer ${token}`],
    ...["--checks", checks.join(","), "--phases", "examples,coverage,fuzzing", "--mode", "all"],
    ...only.flatMap((name) => ["--include-operation-id", name]),
    ...except.flatMap((name) => ["--exclude-operation-id", name]),
    ...["--max-examples", values.examples, "--suppress-health-check", "all", "--no-color"],
    ...(values.seed === undefined ? [] : ["--seed", values.seed]),
  ];
  // It keeps what failed where it runs.
  const child = spawn(schemathesis, args, { stdio: "inherit", cwd: dirname(schemathesis) });
  const [code] = await once(child, "exit");
  return code ?? 1;
}

/** What there is in the demo workspace, by the name of the path's parameter. */
async function idsIn(stack: Stack): Promise<Record<string, string>> {
  const headers = {
    authorization: `Bearer ${await signInAs(stack, "owner")}`,
    "content-type": "application/json",
  };
  type Answer = { key_id: string; tenant_id: string; data: { dev_sub: string }[] };
  const call = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${stack.at("api")}${path}`, { headers, ...init })).json() as Promise<Answer>;
  const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1 };
  const body = JSON.stringify({ name: "CI", kind: "service_account", grant });
  const { key_id } = await call("/v1/keys", { method: "POST", body });
  const { data } = await call("/v1/grants");
  const dev_sub = data[0]?.dev_sub ?? "";
  const { tenant_id: id } = await call("/v1/tenants/my");
  return { id, key_id, dev_sub, user_id: dev_sub };
}

function configOf(ids: Record<string, string>): string {
  const lines = Object.entries(ids).map(([name, id]) => `"path.${name}" = ${JSON.stringify(id)}`);
  return ["[parameters]", ...lines, ""].join("\n");
}

/** @returns an access token. */
async function signInAs(stack: Stack, as: "owner" | "platform_admin"): Promise<string> {
  const { client_id, redirect_uri, scopes } = describe(stack).clients.console;
  if (!stack.demo) throw new Error("The stack has no demo workspace");
  const client = { authUrl: `${stack.edge}/@auth`, clientId: client_id, redirectUri: redirect_uri, scopes };
  const { access_token } = await signIn({ ...client, ...stack.demo[as] });
  return access_token;
}
