// The candidate that a request makes of an integration, for both kinds: a provider of the marketplace brings its own address, document and way of
// proving oneself, a custom integration names them. Its next record is made of the candidate (server-record.ts).
import { fieldRefusal } from "../kernel/refusal.ts";
import type { Provider } from "../marketplace/provider.ts";
import { leadsCredential, longestValue, requireEntries } from "../marketplace/provider-settings.ts";
import { requireProvider } from "../marketplace/providers.ts";
import { moved } from "../upstream/moved-credential.ts";
import { secretOf, type UpstreamAuthBody, withoutSecret } from "../upstream/upstream-auth.ts";
import { requireUpstreamUrl } from "../upstream/upstream-url.ts";
import type { Candidate } from "./examination.ts";
import type { McpServer } from "./mcp-server.ts";
import {
  foreignFields,
  foreignToMode,
  type McpServerBody,
  type McpServerChange,
  type SpecCheckBody,
} from "./server-body.ts";
import type { SpecCandidate } from "./spec-check.ts";
import type { SpecUploads } from "./spec-object.ts";

type Uploads = Pick<SpecUploads, "uploadOf">;

/** @throws Refusal invalid_request */
export function registrationCandidate(uploads: Uploads, tenantId: string, body: McpServerBody): Candidate {
  const { provider_id, target_mode, endpoint, auth: given = { kind: "none" as const } } = body;
  if (provider_id !== undefined) return providerCandidate(requireProvider(provider_id), body);
  const proof = { auth: withoutSecret(given), ...sent(requireSecret(given)) };
  if (target_mode === "mcp_server") return serverCandidate({ endpoint, ...proof });
  const { base_url, operations } = body;
  return { ...specCandidate(uploads, tenantId, body), base_url, operations, ...proof };
}

function providerCandidate(provider: Provider, { secret, extra_env_entries = [] }: McpServerBody): Candidate {
  requireEntries(provider, extra_env_entries);
  requireFit(provider, secret);
  return { target_mode: "marketplace", provider_id: provider.provider_id, ...sent(secret) };
}

/** @throws Refusal invalid_request */
export function checkCandidate(uploads: Uploads, tenantId: string, body: SpecCheckBody): SpecCandidate {
  const { base_url, operations, auth, server_id } = body;
  const proof = auth && { auth: withoutSecret(auth) };
  return { ...specCandidate(uploads, tenantId, body), base_url, operations, ...proof, server_id };
}

/** Undefined if the request changes nothing that `probe` has to judge. @throws Refusal invalid_request */
export function changeCandidate(uploads: Uploads, server: McpServer, body: McpServerChange): Candidate | undefined {
  const { tenant_id, server_id, provider_id } = server;
  const { tools: _, secret: __, extra_env_entries: ___, ...source } = body;
  const isCustom = provider_id === undefined;
  refuseFields(body, foreignFields[isCustom ? "custom" : "marketplace"], "is for the other kind of integration");
  if (!isCustom) return changedProvider(requireProvider(provider_id), server, body);
  const mode = server.target_mode === "mcp_server" ? "mcp_server" : "openapi";
  refuseFields(body, foreignToMode[mode].fields, foreignToMode[mode].message);

  const auth = source.auth === undefined ? server.auth : withoutSecret(source.auth);
  const secret = source.auth && secretOf(source.auth);
  if (auth.kind !== "none" && server.secret_version === undefined && source.auth) requireSecret(source.auth);
  if (Object.values(source).every((value) => value === undefined)) return undefined;
  const kept = { auth, ...sent(secret), server_id };
  if (mode === "mcp_server") return serverCandidate({ endpoint: source.endpoint ?? server.endpoint, ...kept });
  const isNewSpec = source.spec !== undefined || source.spec_uri !== undefined;
  const choice = { base_url: source.base_url ?? server.base_url, operations: source.operations ?? server.operations };
  const spec = isNewSpec ? specCandidate(uploads, tenant_id, source) : { target_mode: "openapi" as const };
  return { ...spec, ...choice, ...kept };
}

function refuseFields(body: McpServerChange, names: readonly string[], message: string): void {
  for (const [field, value] of Object.entries(body)) {
    if (value !== undefined && names.includes(field)) throw fieldRefusal("invalid_request", field, message);
  }
}

function changedProvider(provider: Provider, { server_id }: McpServer, body: McpServerChange): Candidate | undefined {
  const { secret, extra_env_entries: entries, tools: rules } = body;
  if (entries) requireEntries(provider, entries);
  if (entries && leadsCredential(provider) && secret === undefined) {
    throw moved("secret", "extra_env_entries say where it is sent");
  }
  requireFit(provider, secret);
  if (rules && secret === undefined && entries === undefined) return undefined;
  return { target_mode: "marketplace", provider_id: provider.provider_id, server_id, ...sent(secret) };
}

/** A runtime gets the credential in a variable. */
function requireFit(provider: Provider, secret: string | undefined): void {
  if (provider.kind !== "runtime" || secret === undefined || secret.length <= longestValue) return;
  throw fieldRefusal("invalid_request", "secret", `must have at most ${longestValue} characters`);
}

type ServerSource = Omit<Extract<Candidate, { target_mode: "mcp_server" }>, "target_mode" | "endpoint"> & {
  endpoint: string | undefined;
};

function serverCandidate({ endpoint = "", ...proof }: ServerSource): Candidate {
  requireUpstreamUrl(endpoint, "endpoint");
  return { target_mode: "mcp_server", endpoint, ...proof };
}

function sent(secret: string | undefined): { secret?: string } {
  return secret === undefined ? {} : { secret };
}

function specCandidate(
  uploads: Uploads,
  tenantId: string,
  { spec, spec_uri }: Pick<McpServerChange, "spec" | "spec_uri">,
): SpecCandidate {
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
