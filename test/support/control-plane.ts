// The control plane as a client sees it, over an embedded DynamoDB, with tokens that say plainly who calls.
import { randomBytes, randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { type Claims, claimsSchema, invalidCredential, type TokenVerifier } from "../../domain/access/credential.ts";
import type { Discovery } from "../../domain/access/discovery.ts";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";
import type { Mail } from "../../domain/kernel/mail.ts";
import type { PurgeJob } from "../../domain/provisioning/purge.ts";
import type { SetupJob } from "../../domain/provisioning/reconcile.ts";
import type { RunJob } from "../../domain/runs/run.ts";
import type { ControlDependencies } from "../../handlers/control/dependencies.ts";
import { controlHandler } from "../../handlers/control/handler.ts";
import type { ControlStores } from "../../handlers/control/stores.ts";
import { limitedClient } from "./dynamodb/limited-client.ts";
import { openStores } from "./dynamodb/stores.ts";
import { plainGateways } from "./mcp/plain-gateways.ts";
import { plainServers } from "./mcp/plain-servers.ts";
import { memberCommand } from "./people/members.ts";
import { memoryRunObjects } from "./skills/memory-objects.ts";
import { memoryContents } from "./skills/skill-files.ts";

export const consoleClient = "console-client";
export const helperClient = "helper-client";
export const helperWriteClient = "helper-write-client";
export const skillsClient = "skills-client";

/** Takes a token's claims as they are, without a signature. */
export const plainTokens: TokenVerifier = {
  async verify(token) {
    const parsed = claimsSchema.safeParse(JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()));
    if (parsed.success) return parsed.data;
    throw invalidCredential();
  },
};

/** Claims of a token that the token helper gives to assistants. */
export const helperClaims = { client_id: helperClient, scope: "platform/control:read platform/proxy:invoke" };

const usualClaims = {
  client_id: consoleClient,
  scope: "platform/control:manage",
  exp: 4_000_000_000,
  auth_time: 4_000_000_000,
};

export function tokenOf(claims: Partial<Claims>): string {
  const all = { ...usualClaims, ...claims };
  return `eyJ.${Buffer.from(JSON.stringify(all)).toString("base64url")}.signature`;
}

export type Call = {
  as?: Partial<Claims>;
  body?: unknown;
  headers?: Record<string, string>;
  query?: Record<string, string>;
};

/** An answer with its body parsed. */
export type Reply = {
  status: number;
  headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read into it
  body: any;
};

export type LogLine = { message: string; facts: Record<string, unknown>; error?: unknown };

/** Replaces some of the dependencies. The stores of `dependencies` have only the control plane's rights; doubles of other functions use `everyStore`. */
type Change = (dependencies: ControlDependencies, everyStore: ControlStores) => Partial<ControlDependencies>;

export const aDiscovery: Discovery = {
  issuer: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc",
  openid_configuration_url:
    "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc/.well-known/openid-configuration",
  api_url: "https://api.example.com",
  auth_url: "https://auth.example.com",
  proxy_url: "https://{slug}.proxy.example.com/vendor",
  vendor: "vendor",
  region_header: "X-Platform-Region",
  providers: ["Google"],
  clients: {
    console: {
      client_id: consoleClient,
      redirect_uris: ["https://console.example.com/callback"],
      logout_uris: ["https://console.example.com/"],
      scopes: ["openid", "email", "profile", "platform/control:manage"],
    },
    token_helper: {
      client_id: helperClient,
      redirect_uris: ["http://localhost:8400/callback"],
      scopes: ["openid", "email", "profile", "platform/control:read", "platform/proxy:invoke"],
    },
    token_helper_write: {
      client_id: helperWriteClient,
      redirect_uris: ["http://localhost:8400/callback"],
      scopes: ["openid", "email", "profile", "platform/control:manage"],
    },
    skills: {
      client_id: skillsClient,
      redirect_uris: ["http://localhost:8410/callback"],
      scopes: ["openid", "email", "profile", "platform/skills:rw", "platform/skills:invoke"],
    },
  },
};

/**
 * @param handlerOf serves something else than the control plane's own routes.
 */
export async function openControlPlane(change: Change = () => ({}), handlerOf = controlHandler, maxOwned?: number) {
  const opened = await openStores(maxOwned);
  const lines: LogLine[] = [];
  const purgeJobs: PurgeJob[] = [];
  const runJobs: RunJob[] = [];
  const setupJobs: SetupJob[] = [];
  const mails: Mail[] = [];
  const ended: string[] = [];
  const denied: string[] = [];
  const usual: ControlDependencies = {
    ...opened.storesOver(limitedClient(opened.document, (words) => denied.push(words))),
    tokens: plainTokens,
    catalog: parseCatalog(catalogData),
    clock: opened.clock,
    newId: randomUUID,
    random: randomBytes,
    accounts: {
      invite: async () => ({ sub: randomUUID(), state: "created" }),
      resend: async () => true,
      endSignIns: async (sub) => void ended.push(sub),
    },
    mailer: {
      async send(mail) {
        mails.push(mail);
        return "sent";
      },
    },
    payments: {
      state: async () => undefined,
      invoices: async () => undefined,
      label: async () => {},
      setupPage: async () => "https://payments.example.com/setup",
      portalPage: async () => "https://payments.example.com/portal",
    },
    ownerGateways: plainGateways(opened.stores.mcpGateways, opened.clock),
    ...plainServers(opened.stores.mcpServers),
    skillContents: memoryContents(),
    runObjects: memoryRunObjects(),
    runJobs: { send: async (job) => void runJobs.push(job), sendAll: async (jobs) => void runJobs.push(...jobs) },
    secretSealer: { seal: async () => "sealed" },
    purgeJobs: { send: async (job) => void purgeJobs.push(job) },
    setupJobs: { send: async (job) => void setupJobs.push(job) },
    log: {
      info: (message, facts) => lines.push({ message, facts }),
      problem: (message, facts, error) => lines.push({ message, facts, error }),
    },
    settings: {
      scopePrefix: "platform",
      proxyDomain: "proxy.example.com",
      mcpUrl: "https://mcp.example.com",
      vendorSegment: "vendor",
      defaultRegion: "eu-central-1",
      approval: "automatic",
      discovery: aDiscovery,
      consoleOrigins: ["https://console.example.com", "http://localhost:5173"],
      platform: { brand: "Archway", consoleUrl: "https://console.example.com" },
      defaultMaxInFlight: 64,
      maxServiceAccounts: 100,
      maxInvitationMails: 20,
      markup: 1,
      trialCap: 50_000_000_000,
    },
  };
  const dependencies = { ...usual, ...change(usual, opened.stores) };
  const handler = handlerOf(dependencies);

  async function call(method: string, path: string, request: Call = {}): Promise<Reply> {
    const result = await handler(eventOf(method, path, request), { awsRequestId: randomUUID() } as Context);
    if (denied.length > 0) throw new Error(`${method} ${path}: ${denied.splice(0).join("; ")}`);
    return replyOf(result as APIGatewayProxyStructuredResultV2);
  }

  /** Creates a workspace and gives the claims of its owner's next token. */
  async function workspace(name: string, sub: string = randomUUID()): Promise<Claims & { tenant_id: string }> {
    const { status, body } = await call("POST", "/v1/tenants", { as: { sub }, body: { name } });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return { ...claimsOf(sub), tenant_id: body.tenant_id };
  }

  /** Puts a developer into a workspace and gives the claims of their token. */
  async function developer(tenantId: string, sub: string = randomUUID()): Promise<Claims & { tenant_id: string }> {
    await opened.document.send(memberCommand({ sub, tenant_id: tenantId, tenant_role: "developer", status: "active" }));
    return { ...claimsOf(sub), tenant_id: tenantId };
  }

  return { ...opened, dependencies, lines, purgeJobs, runJobs, setupJobs, mails, ended, call, workspace, developer };
}

function claimsOf(sub: string): Claims {
  return { sub, ...usualClaims };
}

function eventOf(method: string, path: string, { as, body, headers, query }: Call): APIGatewayProxyEventV2 {
  const text = typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body);
  return {
    version: "2.0",
    headers: {
      ...(as && { authorization: `Bearer ${tokenOf(as)}` }),
      ...(text !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(query && { queryStringParameters: query }),
    requestContext: { http: { method, path } },
    ...(text !== undefined && { body: text }),
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
}

function replyOf({ statusCode = 0, headers = {}, body }: APIGatewayProxyStructuredResultV2): Reply {
  return {
    status: statusCode,
    headers,
    body: body === undefined ? undefined : isJson(headers) ? JSON.parse(body) : body,
  };
}

function isJson(headers: object): boolean {
  return "content-type" in headers && headers["content-type"] === "application/json";
}
