// A workspace with a gateway on a local stack, for whom tests act over HTTP.
import { CognitoIdentityProviderClient, paginateListUserPoolClients } from "@aws-sdk/client-cognito-identity-provider";
import { userPool } from "../../../emulators/pulumi/services/cognito.ts";
import { clientOptions } from "../../../emulators/test/support/aws-endpoint.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";

export type Gateway = {
  endpoint: string;
  client_id: string;
  client_secret: string;
  public_client_id: string;
  state: string;
};

export type ToolWorkspace = { owner: Person; tenantId: string };

export type Answer = { status: number; body: Record<string, never> & { [name: string]: never } };

/** The control plane as a person asks it. */
export async function askControl(stack: Stack, person: Person, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${await consoleToken(stack, person)}`, "content-type": "application/json" };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(stack.at("api") + path, init);
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the answer that it asks for.
  return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as any };
}

export async function toolWorkspace(stack: Stack, email: string): Promise<ToolWorkspace> {
  const owner = await signUp(stack, email);
  const { tenant_id: tenantId } = await openWorkspace(stack, owner, `Tools of ${email}`);
  return { owner, tenantId };
}

/** A gateway that is ready. */
export async function readyGateway(stack: Stack, owner: Person): Promise<Gateway> {
  const { body } = await askControl(stack, owner, "POST", "/v1/mcp-gateway");
  await stack.queuePoller.idle();
  return body as Gateway;
}

/** Registers a server and waits until it is ready. @returns its id */
export async function registerServer(stack: Stack, person: Person, body: object): Promise<string> {
  const answer = await askControl(stack, person, "POST", "/v1/mcp-servers", body);
  await stack.queuePoller.idle();
  const id = answer.body.server_id as string;
  const { body: server } = await askControl(stack, person, "GET", `/v1/mcp-servers/${id}`);
  if (server?.state !== "ready") throw new Error(`not ready: ${JSON.stringify([answer.body, server])}`);
  return id;
}

/** All that a workspace has outside the table. */
export async function outsideOf(stack: Stack, tenantId: string) {
  const { gateways, apiKeyCredentialProviders, agentRuntimes } = stack.agentcore.list();
  const own = gateways.filter(({ tags }) => tags.tenant_id === tenantId);
  const tagged = <T extends { tags?: Record<string, string> }>(all: T[]) =>
    all.filter(({ tags }) => tags?.tenant_id === tenantId);
  return {
    gateways: own.length,
    rateLimits: own.flatMap(({ rateLimits }) => rateLimits).length,
    targets: own.flatMap(({ targets }) => targets.map(({ name }) => name)),
    providers: tagged(apiKeyCredentialProviders).length,
    runtimes: tagged(agentRuntimes).length,
    secrets: tagged(stack.secretsManager.secrets.all()).length,
    clients: (await clientNames(stack)).filter((name) => name.includes(tenantId)).length,
    documents: stack.s3.list().filter(({ key }) => key.includes(tenantId)).length,
  };
}

export const nothing = {
  gateways: 0,
  rateLimits: 0,
  targets: [],
  providers: 0,
  runtimes: 0,
  secrets: 0,
  clients: 0,
  documents: 0,
};

/** Options for a client of AWS that acts as the function `agentcore`. */
export function asAgentCore(stack: Stack) {
  const role = [...stack.iam.roles.values()].find(({ name }) => name === "agentcore-local");
  const principal = { roleArn: role?.arn ?? "", sessionName: "test", sessionTags: {} };
  return clientOptions(stack.aws, stack.credentials.issue(principal));
}

/** The names of the pool's app clients, as the function that makes them lists them. */
async function clientNames(stack: Stack): Promise<string[]> {
  const client = new CognitoIdentityProviderClient(asAgentCore(stack));
  const [pool] = stack.program.resources.ofType(userPool.type);
  const names: string[] = [];
  try {
    for await (const { UserPoolClients = [] } of paginateListUserPoolClients(
      { client },
      { UserPoolId: pool?.outputs.id },
    ))
      names.push(...UserPoolClients.map(({ ClientName = "" }) => ClientName));
    return names;
  } finally {
    client.destroy();
  }
}
