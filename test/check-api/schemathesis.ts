// Schemathesis reads the OpenAPI document of a local stack and sends what it allows and what it does not, as the owner of the demo
// workspace, then as a platform administrator. It fails on a 500 and on any answer that the document does not describe.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { consoleToken } from "../../local/demo/app-client.ts";
import type { Stack } from "../../local/stack.ts";

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

export type Options = { examples: string; seed?: string | undefined };

/** @returns the exit code. */
export async function runSchemathesis(program: string, stack: Stack, options: Options): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "check-api-"));
  try {
    const config = join(folder, "schemathesis.toml");
    await writeFile(config, configOf(await idsIn(stack)));
    const codes: number[] = [];
    for (const pass of passes) {
      console.log(`\n${JSON.stringify(pass)}`);
      const ids = pass.ids === "real" ? ["--config-file", config] : [];
      codes.push(await run(program, stack, pass, { ...options, ids }));
    }
    return Math.max(...codes);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function run(
  schemathesis: string,
  stack: Stack,
  { as, only = [], except = [] }: Pass,
  { ids, examples, seed }: Options & { ids: string[] },
): Promise<number> {
  const api = stack.at("api");
  const token = await signInAs(stack, as);
  const args = [
    ...[...ids, "run", `${api}/v1/openapi.json`, "--url", api, "--header", `Authorization: Bearer ${token}`],
    ...["--checks", checks.join(","), "--phases", "examples,coverage,fuzzing", "--mode", "all"],
    ...only.flatMap((name) => ["--include-operation-id", name]),
    ...except.flatMap((name) => ["--exclude-operation-id", name]),
    // Below the stage's throttle (components/tenant-platform/tenant-platform.ts), which would leave the routes behind it untried.
    ...["--rate-limit", "150/s"],
    ...["--max-examples", examples, "--suppress-health-check", "all", "--no-color"],
    ...(seed === undefined ? [] : ["--seed", seed]),
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
function signInAs(stack: Stack, as: "owner" | "platform_admin"): Promise<string> {
  if (!stack.demo) throw new Error("The stack has no demo workspace");
  return consoleToken(stack, stack.demo[as]);
}
