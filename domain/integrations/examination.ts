// What the function `probe` says of an integration: before it is registered or changed, and whenever somebody has it verified.
import * as z from "zod";
import { fieldRefusal } from "../kernel/refusal.ts";
import type { Provider } from "../marketplace/provider.ts";
import { declaredNames } from "../marketplace/provider-settings.ts";
import { providers, requireProvider } from "../marketplace/providers.ts";
import { type ApiTool, type RegisteredSpec, toolsOfSpec } from "../openapi/registered-spec.ts";
import { type CredentialWay, requireSameWay } from "../upstream/moved-credential.ts";
import type { Credential, ProbedTool } from "../upstream/upstream.ts";
import { sentSecret, type UpstreamAuth, upstreamAuthSchema } from "../upstream/upstream-auth.ts";
import { UpstreamFailure } from "../upstream/upstream-failure.ts";
import type { ProbeFailure, ProbeOutcome } from "../upstream/verification.ts";
import { type McpServer, requireServer } from "./mcp-server.ts";
import {
  checkedSpec,
  differenceOf,
  type SpecCandidate,
  type SpecCheck,
  type SpecDependencies,
  specCandidateSchema,
} from "./spec-check.ts";

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
  specCandidateSchema,
]);

export type Candidate = z.output<typeof candidateSchema>;

export type Examined = {
  tools: ProbedTool[];
  /** An API's document as it is registered. */
  spec?: RegisteredSpec;
  /** Why the API said nothing about the credential, which is kept all the same. */
  untried?: ProbeFailure;
};

export type ExaminationDependencies = SpecDependencies & {
  /** Reads the stored secret of an integration. */
  secretOf: (server: Pick<McpServer, "tenant_id" | "server_id" | "secret_version">) => Promise<string | undefined>;
  servers: { get(tenantId: string, serverId: string): Promise<McpServer | undefined> };
  /** The tools of a provider's server in its runtime. @throws UpstreamFailure */
  runtimeTools: (arn: string) => Promise<ProbedTool[]>;
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
  const candidate = { target_mode: "openapi", spec: JSON.stringify(provider.document) } as const;
  const spec = await checkedSpec(deps, tenantId, { candidate, before: undefined });
  return { tools: toolsOf(deps, spec), spec };
}

async function check(
  { upstream }: ExaminationDependencies,
  { check: { url, headers, refused_by } }: Provider,
  credential: Credential | undefined,
): Promise<void> {
  await upstream().read(url, credential, {
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
  const spec = await deps.specs.registered(server);
  if (!spec) throw new UpstreamFailure("spec_missing");
  if (!provider) await requireTaken(deps, spec, credential);
  return toolsOf(deps, spec);
}

/** The candidate as a PUT makes it: settings that it leaves out are those of the integration. */
function withKept(candidate: SpecCandidate, server: McpServer | undefined): SpecCandidate {
  const { auth = server?.auth, base_url = server?.base_url, operations = server?.operations } = candidate;
  return { ...candidate, auth, base_url, operations };
}

/** Judges a document as its registration would, and registers nothing. @throws Refusal invalid_request that names the field, not_found */
export async function checkSpec(
  deps: ExaminationDependencies,
  tenantId: string,
  candidate: SpecCandidate,
): Promise<SpecCheck> {
  const { server_id: serverId } = candidate;
  const server = serverId === undefined ? undefined : await requireServer(deps.servers, tenantId, serverId);
  const before = server && (await deps.specs.registered(server));
  const spec = await checkedSpec(deps, tenantId, { candidate: withKept(candidate, server), before });
  return { ...spec.report, ...(before && { difference: differenceOf(before, spec) }) };
}

/** The document, where it leads to, and whether the API takes the credential there. @param kept the integration that is to be changed */
async function examineApi(
  deps: ExaminationDependencies,
  tenantId: string,
  candidate: SpecCandidate,
  kept: McpServer | undefined,
): Promise<Examined> {
  const { spec, upload, auth, secret } = candidate;
  const before = kept && (await deps.specs.registered(kept));
  const isNew = spec !== undefined || upload !== undefined;
  const next = isNew ? await checkedSpec(deps, tenantId, { candidate, before }) : before;
  let untried: ProbeFailure | undefined;
  if (auth && auth.kind !== "none" && next) {
    if (kept && secret === undefined) {
      const addresses = before ? [before.report.base_url] : [];
      requireSameWay(wayOf(kept, addresses), { auth, addresses: [next.report.base_url] }, "the document");
    }
    const credential = credentialOf(auth, secret ?? (kept && (await deps.secretOf(kept))));
    untried = await tryCredential(deps, next, credential);
  }
  const tools = next ? toolsOf(deps, next) : [];
  return { tools, ...(isNew && next && { spec: next }), ...(untried && { untried }) };
}

/**
 * An API may forbid a good credential the one read that is tried, and it may be down: only 401 says that the credential is none.
 * @returns why the trial proves nothing, if it does not
 */
async function tryCredential(
  deps: ExaminationDependencies,
  spec: RegisteredSpec,
  credential: Credential | undefined,
): Promise<ProbeFailure | undefined> {
  try {
    await requireTaken(deps, spec, credential);
    return undefined;
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    const { reason, message } = error;
    if (reason !== "credential_refused") return { reason, message };
    throw fieldRefusal("invalid_request", "auth", `${message} at GET ${readOf(spec)} (${reason})`);
  }
}

/**
 * Reads from the API with the credential, by an operation of the document: an address that the document does not name may answer without
 * having looked at the credential. An API without a credential is only reached.
 * @throws UpstreamFailure
 */
async function requireTaken(
  deps: ExaminationDependencies,
  spec: RegisteredSpec,
  credential: Credential | undefined,
): Promise<void> {
  const url = readOf(spec);
  if (url === undefined && credential) throw new UpstreamFailure("credential_untried");
  const status = await deps.upstream().read(url ?? spec.report.base_url, credential);
  if (credential && status >= 400) throw new UpstreamFailure("credential_unproven");
}

/** The way that the kept credential of an integration was given for. */
function wayOf({ auth }: McpServer, addresses: readonly string[]): CredentialWay {
  return { auth, addresses };
}

function credentialOf(auth: UpstreamAuth, secret: string | undefined): Credential | undefined {
  const sent = sentSecret(auth);
  if (!sent) return undefined;
  if (secret === undefined)
    throw fieldRefusal("secret_missing", "auth.secret", "the integration has none yet, send it");
  return { ...sent, secret };
}

/** Paths that answer with the caller's own account: nobody reads them without a credential. */
const ownAccount = /\/(me|self|whoami|user|account|profile|current[-_]?user)$/i;

/** The address of a read that needs no input and changes nothing; undefined if the document has none. */
function readOf(spec: RegisteredSpec): string | undefined {
  const reads = toolsOfSpec(spec).filter(isHarmless);
  const best = reads.find(({ path }) => ownAccount.test(path)) ?? reads[0];
  return best && `${spec.report.base_url}${best.path}`;
}

function isHarmless({ method, path, needsInput }: ApiTool): boolean {
  return method === "get" && !needsInput && !path.includes("{");
}

function toolsOf({ digest }: Pick<ExaminationDependencies, "digest">, spec: RegisteredSpec): ProbedTool[] {
  return toolsOfSpec(spec).map(({ name, definition }) => ({ name, digest: digest(JSON.stringify(definition)) }));
}
