// What the function `probe` says of an integration: before it is registered or changed, and whenever somebody has it verified.
import * as z from "zod";
import { fieldRefusal } from "../kernel/refusal.ts";
import type { Provider } from "../marketplace/provider.ts";
import { declaredNames } from "../marketplace/provider-settings.ts";
import { providers, requireProvider } from "../marketplace/providers.ts";
import { type CredentialWay, requireSameWay } from "../upstream/moved-credential.ts";
import { type ApiOperation, type JudgedSpec, judgeSpec, mostSpecBytes } from "../upstream/openapi-lint.ts";
import { specRefusal } from "../upstream/openapi-problem.ts";
import type { Credential, ProbedTool, Upstream } from "../upstream/upstream.ts";
import { sentSecret, type UpstreamAuth, upstreamAuthSchema } from "../upstream/upstream-auth.ts";
import { UpstreamFailure } from "../upstream/upstream-failure.ts";
import type { ProbeFailure, ProbeOutcome } from "../upstream/verification.ts";
import type { McpServer } from "./mcp-server.ts";

/** An integration that is to be judged before anything of it is kept. The field names in refusals are those of the request. */
export const candidateSchema = z.discriminatedUnion("target_mode", [
  z.object({
    target_mode: z.literal("mcp_server"),
    endpoint: z.string(),
    auth: upstreamAuthSchema,
    /** The secret to try; missing if the stored secret of `server_id` is to be tried. */
    secret: z.string().optional(),
    server_id: z.string().optional(),
  }),
  /** A provider of the marketplace. Without `secret` the stored one of `server_id` is tried. */
  z.object({
    target_mode: z.literal("marketplace"),
    provider_id: z.string(),
    secret: z.string().optional(),
    server_id: z.string().optional(),
  }),
  /** `spec` is the document's text, `upload` the name of an uploaded one; missing both, `server_id` keeps its document. */
  z.object({
    target_mode: z.literal("openapi"),
    spec: z.string().optional(),
    upload: z.string().optional(),
    auth: upstreamAuthSchema.optional(),
    secret: z.string().optional(),
    server_id: z.string().optional(),
  }),
]);

export type Candidate = z.output<typeof candidateSchema>;

export type Examined = {
  tools: ProbedTool[];
  /** The document as JSON, exactly as it was judged. */
  document?: string;
  /** Why the API said nothing about the credential, which is kept all the same. */
  untried?: ProbeFailure;
};

/** Documents that tenants uploaded or registered. */
export interface SpecReader {
  /** Undefined if there is none. Cut off after the most bytes that a document may have, and one more. */
  uploaded(tenantId: string, upload: string): Promise<string | undefined>;
  registered(server: Pick<McpServer, "tenant_id" | "server_id" | "spec_version">): Promise<string | undefined>;
}

export type ExaminationDependencies = {
  specs: SpecReader;
  /** Reads the stored secret of an integration. */
  secretOf: (server: Pick<McpServer, "tenant_id" | "server_id" | "secret_version">) => Promise<string | undefined>;
  servers: { get(tenantId: string, serverId: string): Promise<McpServer | undefined> };
  /** Makes the upstream of one probe. */
  upstream: () => Upstream;
  /** The tools of a provider's server in its runtime. @throws UpstreamFailure */
  runtimeTools: (arn: string) => Promise<ProbedTool[]>;
  /** Reads JSON or YAML; undefined if it is neither. */
  readDocument: (text: string) => unknown;
  digest: (text: string) => string;
};

/** @throws Refusal invalid_request that names the field and what is wrong with it */
export async function examine(
  deps: ExaminationDependencies,
  tenantId: string,
  candidate: Candidate,
): Promise<Examined> {
  const { server_id: serverId } = candidate;
  const kept = serverId === undefined ? undefined : await deps.servers.get(tenantId, serverId);
  if (candidate.target_mode === "openapi") return examineApi(deps, tenantId, candidate, kept);
  const secret = candidate.secret ?? (kept && (await deps.secretOf(kept)));
  if (candidate.target_mode === "marketplace") return examineProvider(deps, tenantId, { ...candidate, secret });
  const { endpoint, auth } = candidate;
  if (kept && candidate.secret === undefined) {
    requireSameWay(wayOf(kept, [kept.endpoint ?? ""]), { auth, addresses: [endpoint] }, "endpoint");
  }
  try {
    return { tools: await deps.upstream().tools(endpoint, credentialOf(auth, secret)) };
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    const field = error.reason.startsWith("credential") || error.reason === "oauth_required" ? "auth" : "endpoint";
    throw fieldRefusal("invalid_request", field, `${error.message} (${error.reason})`);
  }
}

/** The credential is tried at the provider's API; its server cannot run before it is registered. */
async function examineProvider(
  deps: ExaminationDependencies,
  tenantId: string,
  { provider_id, secret }: { provider_id: string; secret: string | undefined },
): Promise<Examined> {
  const provider = requireProvider(provider_id);
  try {
    await check(deps, provider, credentialOf(provider.auth, secret));
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    const field = error.reason.startsWith("credential") ? "secret" : "provider_id";
    throw fieldRefusal("invalid_request", field, `${error.message} (${error.reason})`);
  }
  if (provider.kind === "runtime") return { tools: provider.tools.map(({ name }) => ({ name, digest: "" })) };
  const { tools, document } = await examineSpec(deps, tenantId, { spec: JSON.stringify(provider.document) });
  return { tools, document };
}

function check(
  { upstream }: ExaminationDependencies,
  { check: { url, headers, refused_by } }: Provider,
  credential: Credential | undefined,
): Promise<void> {
  return upstream().read(url, credential, {
    ...(headers && { headers }),
    ...(refused_by && { refusedBy: refused_by }),
  });
}

/** Asks a registered integration with its credential. */
export async function probeServer(deps: ExaminationDependencies, server: McpServer): Promise<ProbeOutcome> {
  const credential = credentialOf(server.auth, await deps.secretOf(server));
  try {
    return { tools: await toolsNow(deps, server, credential) };
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    return { reason: error.reason, message: error.message };
  }
}

async function toolsNow(
  deps: ExaminationDependencies,
  server: McpServer,
  credential: Credential | undefined,
): Promise<ProbedTool[]> {
  const { target_mode, endpoint = "", provider_id, runtime_arn, extra_env_names = [] } = server;
  if (target_mode === "mcp_server") return deps.upstream().tools(endpoint, credential);
  const provider = providers.find((one) => one.provider_id === provider_id);
  if (provider) await check(deps, provider, credential);
  if (target_mode === "runtime") {
    if (runtime_arn === undefined) throw new UpstreamFailure("runtime_missing");
    const isTaken = provider && declaredNames(provider, extra_env_names).length === extra_env_names.length;
    if (!isTaken) throw new UpstreamFailure("settings_undeclared");
    return deps.runtimeTools(runtime_arn);
  }
  const spec = await registeredSpec(deps, server);
  if (!spec) throw new UpstreamFailure("spec_missing");
  const { operations, servers } = spec;
  if (!provider) await deps.upstream().read(harmlessRead(servers[0] ?? "", operations), credential);
  return toolsOf(deps, operations);
}

type ApiCandidate = Extract<Candidate, { target_mode: "openapi" }>;

/** The document, where it leads to, and whether the API takes the credential there. @param kept the integration that is to be changed */
async function examineApi(
  deps: ExaminationDependencies,
  tenantId: string,
  candidate: ApiCandidate,
  kept: McpServer | undefined,
): Promise<Examined> {
  const { spec, upload, auth, secret } = candidate;
  const before = kept && (await registeredSpec(deps, kept));
  const isNew = spec !== undefined || upload !== undefined;
  const { document, tools, judged } = isNew
    ? await examineSpec(deps, tenantId, candidate)
    : { tools: before ? toolsOf(deps, before.operations) : [], judged: before, document: undefined };
  let untried: ProbeFailure | undefined;
  if (auth && auth.kind !== "none" && judged) {
    if (kept && secret === undefined) {
      requireSameWay(wayOf(kept, before?.servers ?? []), { auth, addresses: judged.servers }, "the document");
    }
    const credential = credentialOf(auth, secret ?? (kept && (await deps.secretOf(kept))));
    untried = await tryCredential(deps, judged, credential);
  }
  return { tools, ...(document !== undefined && { document }), ...(untried && { untried }) };
}

/**
 * An API may forbid a good credential the one read that is tried, and it may be down: only 401 says that the credential is none.
 * @returns why the trial proves nothing, if it does not
 */
async function tryCredential(
  { upstream }: ExaminationDependencies,
  { operations, servers }: JudgedSpec,
  credential: Credential | undefined,
): Promise<ProbeFailure | undefined> {
  const url = harmlessRead(servers[0] ?? "", operations);
  try {
    await upstream().read(url, credential);
    return undefined;
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    const { reason, message } = error;
    if (reason !== "credential_refused") return { reason, message };
    throw fieldRefusal("invalid_request", "auth", `${message} at GET ${url} (${reason})`);
  }
}

/** The way that the kept credential of an integration was given for. */
function wayOf({ auth }: McpServer, addresses: readonly string[]): CredentialWay {
  return { auth, addresses };
}

async function registeredSpec(deps: ExaminationDependencies, server: McpServer): Promise<JudgedSpec | undefined> {
  const text = await deps.specs.registered(server);
  return text === undefined ? undefined : judgeSpec(deps.readDocument(text));
}

async function examineSpec(
  deps: ExaminationDependencies,
  tenantId: string,
  { spec, upload }: Pick<ApiCandidate, "spec" | "upload">,
): Promise<Required<Omit<Examined, "untried">> & { judged: JudgedSpec }> {
  const field = spec === undefined ? "spec_uri" : "spec";
  const text = spec ?? (await deps.specs.uploaded(tenantId, upload ?? ""));
  if (text === undefined) {
    throw fieldRefusal("invalid_request", field, "nothing was uploaded there: see POST /v1/mcp-specs");
  }
  const whole = { path: "" };
  if (Buffer.byteLength(text) > mostSpecBytes) {
    throw specRefusal(field, [{ ...whole, code: "too_large", message: `must have at most ${mostSpecBytes} bytes` }]);
  }
  const document = deps.readDocument(text);
  const judged = judgeSpec(document);
  const { problems, operations, servers } = judged;
  if (problems.length > 0) throw specRefusal(field, problems);
  const upstream = deps.upstream();
  for (const url of servers) {
    await upstream.requirePublic(url).catch((error: unknown) => {
      if (!(error instanceof UpstreamFailure)) throw error;
      const code = error.reason === "address_not_public" ? "server_not_public" : "server_invalid";
      throw specRefusal(field, [{ code, path: "servers", message: error.message }]);
    });
  }
  return { tools: toolsOf(deps, operations), document: JSON.stringify(document), judged };
}

function credentialOf(auth: UpstreamAuth, secret: string | undefined): Credential | undefined {
  const sent = sentSecret(auth);
  if (!sent) return undefined;
  if (secret === undefined)
    throw fieldRefusal("secret_missing", "auth.secret", "the integration has none yet, send it");
  return { ...sent, secret };
}

/** A GET that needs no input, else the API's own address: nothing is changed by reading it. */
function harmlessRead(server: string, operations: readonly ApiOperation[]): string {
  const plain = operations.find(
    ({ method, path, hasParameters }) => method === "get" && !hasParameters && !path.includes("{"),
  );
  return plain ? `${server.replace(/\/$/, "")}${plain.path}` : server;
}

function toolsOf(
  { digest }: Pick<ExaminationDependencies, "digest">,
  operations: readonly ApiOperation[],
): ProbedTool[] {
  return operations.map((operation) => ({ name: operation.name, digest: digest(JSON.stringify(operation)) }));
}
