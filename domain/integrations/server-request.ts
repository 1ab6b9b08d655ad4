// What a request asks of an integration, in one form for both kinds: a provider of the marketplace brings its own address, document and
// way of proving oneself, a custom integration names them.
import { fieldRefusal } from "../kernel/refusal.ts";
import type { Provider } from "../marketplace/provider.ts";
import {
  declaredNames,
  type EnvEntry,
  leadsCredential,
  longestValue,
  requireEntries,
} from "../marketplace/provider-settings.ts";
import { requireProvider } from "../marketplace/providers.ts";
import type { ToolRules } from "../tools/tool-rules.ts";
import { moved } from "../upstream/moved-credential.ts";
import { secretOf, type UpstreamAuth, type UpstreamAuthBody, withoutSecret } from "../upstream/upstream-auth.ts";
import { requireUpstreamUrl } from "../upstream/upstream-url.ts";
import type { Candidate } from "./examination.ts";
import type { McpServer, TargetMode } from "./mcp-server.ts";
import { foreignFields, foreignToMode, type McpServerBody, type McpServerChange } from "./server-body.ts";
import type { SpecUploads } from "./spec-object.ts";

export type Asked = {
  auth: UpstreamAuth;
  endpoint?: string | undefined;
  /** A change leaves the integration's own value where this or one of the next two is undefined. */
  secret: string | undefined;
  entries: readonly EnvEntry[] | undefined;
  rules: ToolRules | undefined;
  /** The part that `probe` has to judge; undefined if the request changes nothing of it. */
  candidate: Candidate | undefined;
};

export type AskedRegistration = Asked & { name: string; mode: TargetMode; providerId: string | undefined };

type Uploads = Pick<SpecUploads, "uploadOf">;

/** @throws Refusal invalid_request */
export function askedRegistration(uploads: Uploads, tenantId: string, body: McpServerBody): AskedRegistration {
  const { provider_id: providerId, name = "", tools: rules, endpoint, auth: asked = { kind: "none" as const } } = body;
  if (providerId !== undefined) return registrationOf(requireProvider(providerId), body);
  const auth = withoutSecret(asked);
  const secret = requireSecret(asked);
  const mode = body.target_mode ?? "openapi";
  const candidate: Candidate =
    mode === "openapi"
      ? { ...specCandidate(uploads, tenantId, body), auth, ...given(secret) }
      : serverCandidate({ endpoint, auth, secret });
  return { name, mode, providerId, auth, endpoint, secret, entries: undefined, rules, candidate };
}

function registrationOf(provider: Provider, { name, secret, extra_env_entries, tools: rules }: McpServerBody) {
  const { provider_id: providerId, kind: mode, auth } = provider;
  const entries = extra_env_entries ?? [];
  requireEntries(provider, entries);
  requireFit(provider, secret);
  const candidate: Candidate = { target_mode: "marketplace", provider_id: providerId, secret };
  return { name: name ?? providerId, mode, providerId, auth, secret, entries, rules, candidate };
}

/** @throws Refusal invalid_request */
export function askedChange(uploads: Uploads, server: McpServer, body: McpServerChange): Asked {
  const { tenant_id, server_id, provider_id } = server;
  const { tools: rules, secret: _, extra_env_entries: __, ...source } = body;
  const isCustom = provider_id === undefined;
  refuseFields(body, foreignFields[isCustom ? "custom" : "marketplace"], "is for the other kind of integration");
  if (!isCustom) return changeOf(requireProvider(provider_id), server, body);
  const mode = server.target_mode === "mcp_server" ? "mcp_server" : "openapi";
  refuseFields(body, foreignToMode[mode].fields, foreignToMode[mode].message);

  const auth = source.auth === undefined ? server.auth : withoutSecret(source.auth);
  const secret = source.auth && secretOf(source.auth);
  if (auth.kind !== "none" && server.secret_version === undefined && source.auth) requireSecret(source.auth);
  const endpoint = source.endpoint ?? server.endpoint;
  const asked = { auth, endpoint, secret, entries: undefined, rules };
  if (Object.values(source).every((value) => value === undefined)) return { ...asked, candidate: undefined };
  if (mode === "mcp_server") {
    return { ...asked, candidate: serverCandidate({ endpoint, auth, secret, serverId: server_id }) };
  }
  const isNewSpec = source.spec !== undefined || source.spec_uri !== undefined;
  const spec = isNewSpec ? specCandidate(uploads, tenant_id, source) : { target_mode: "openapi" as const };
  return { ...asked, candidate: { ...spec, auth, ...given(secret), server_id } };
}

function refuseFields(body: McpServerChange, names: readonly string[], message: string): void {
  for (const [field, value] of Object.entries(body)) {
    if (value !== undefined && names.includes(field)) throw fieldRefusal("invalid_request", field, message);
  }
}

function changeOf(provider: Provider, server: McpServer, body: McpServerChange): Asked {
  const { secret, extra_env_entries: entries, tools: rules } = body;
  if (entries) requireEntries(provider, entries);
  if (entries && leadsCredential(provider) && secret === undefined) {
    throw moved("secret", "extra_env_entries say where it is sent");
  }
  requireFit(provider, secret);
  const asked = { auth: provider.auth, secret, entries, rules };
  if (rules && secret === undefined && entries === undefined) return { ...asked, candidate: undefined };
  const kept = { target_mode: "marketplace" as const, provider_id: provider.provider_id, server_id: server.server_id };
  return { ...asked, candidate: { ...kept, ...given(secret) } };
}

/** The settings after a change: kept ones that the provider takes no more are left out. */
export function settingNames({ provider_id = "", extra_env_names }: McpServer, entries: Asked["entries"]): string[] {
  return entries?.map(({ name }) => name) ?? declaredNames(requireProvider(provider_id), extra_env_names);
}

/** A runtime gets the credential in a variable. */
function requireFit(provider: Provider, secret: string | undefined): void {
  if (provider.kind !== "runtime" || secret === undefined || secret.length <= longestValue) return;
  throw fieldRefusal("invalid_request", "secret", `must have at most ${longestValue} characters`);
}

type AskedServer = {
  endpoint: string | undefined;
  auth: UpstreamAuth;
  secret: string | undefined;
  serverId?: string;
};

function serverCandidate({ endpoint = "", auth, secret, serverId }: AskedServer): Candidate {
  requireUpstreamUrl(endpoint, "endpoint");
  const kept = serverId === undefined ? {} : { server_id: serverId };
  return { target_mode: "mcp_server", endpoint, auth, ...given(secret), ...kept };
}

function given(secret: string | undefined): { secret?: string } {
  return secret === undefined ? {} : { secret };
}

function specCandidate(
  uploads: Uploads,
  tenantId: string,
  { spec, spec_uri }: Pick<McpServerChange, "spec" | "spec_uri">,
): Extract<Candidate, { target_mode: "openapi" }> {
  if (spec !== undefined) {
    return { target_mode: "openapi", spec: typeof spec === "string" ? spec : JSON.stringify(spec) };
  }
  const upload = uploads.uploadOf(tenantId, spec_uri ?? "");
  if (upload !== undefined) return { target_mode: "openapi", upload };
  const message = "must be a spec_uri that POST /v1/mcp-specs gave this workspace";
  throw fieldRefusal("invalid_request", "spec_uri", message);
}

function requireSecret(auth: UpstreamAuthBody): string | undefined {
  const secret = secretOf(auth);
  if (auth.kind === "none" || secret !== undefined) return secret;
  throw fieldRefusal("invalid_request", "auth.secret", "is required");
}
