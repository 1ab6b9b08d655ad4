// The record of an integration after a change of people. A registration is the first change of a record that has nothing yet.
import { declaredNames, type EnvEntry } from "../marketplace/provider-settings.ts";
import { requireProvider } from "../marketplace/providers.ts";
import { withoutSecret } from "../upstream/upstream-auth.ts";
import { knownTools, verificationOf } from "../upstream/verification.ts";
import type { Candidate, Examined } from "./examination.ts";
import type { McpServer } from "./mcp-server.ts";
import type { McpServerBody } from "./server-body.ts";

/** An integration of the marketplace is named as its provider where the request names it otherwise by nothing. */
export function registeredName({ name, provider_id = "" }: Pick<McpServerBody, "name" | "provider_id">): string {
  return name ?? provider_id;
}

/** The record before its registration, as version 0. */
export function unregistered(
  body: McpServerBody,
  { tenant_id, server_id, created_by }: Pick<McpServer, "tenant_id" | "server_id" | "created_by">,
  now: number,
): McpServer {
  const at = new Date(now).toISOString();
  const { provider_id } = body;
  const provider = provider_id === undefined ? undefined : requireProvider(provider_id);
  return {
    server_id,
    tenant_id,
    name: registeredName(body),
    ...(provider_id !== undefined && { provider_id }),
    target_mode: provider?.kind ?? body.target_mode ?? "openapi",
    hosts: [],
    auth: provider?.auth ?? withoutSecret(body.auth ?? { kind: "none" }),
    state: "creating",
    provider_versions: [],
    spec_versions: [],
    known_tools: {},
    created_at: at,
    created_by,
    updated_at: at,
    version: 0,
  };
}

/**
 * A change of people.
 * @property candidate undefined if the change brings nothing that was examined
 * @property entries a provider's settings; undefined if the change brings none
 */
type Change = {
  candidate: Candidate | undefined;
  entries: readonly EnvEntry[] | undefined;
  examined: Examined;
} & Pick<McpServer, "state" | "hosts">;

/** The version that follows. Its rules are those of the version before. */
export function changedRecord(
  before: McpServer,
  { candidate, entries, examined, state, hosts }: Change,
  now: number,
): McpServer {
  const { reason: _, secret_version: __, spec_version: ___, secret_set_at: setAt, verification, ...others } = before;
  const { base_url, operations, ...kept } = others;
  const { tools, spec, untried } = examined;
  const version = before.version + 1;
  const at = new Date(now).toISOString();
  const isExamined = candidate !== undefined;
  const auth = authAfter(before, candidate);
  const isNewSecret = candidate?.secret !== undefined || entries !== undefined;
  const secretVersion = auth.kind === "none" ? undefined : isNewSecret ? version : before.secret_version;
  const specVersion = spec === undefined ? before.spec_version : version;
  return {
    ...kept,
    // An earlier finding is about another credential, document or address: who has replaced a refused credential is not shown it as refused.
    ...(!isExamined && verification && { verification }),
    ...(untried && { verification: verificationOf(untried, {}, now) }),
    ...(candidate?.target_mode === "mcp_server" && { endpoint: candidate.endpoint }),
    ...choiceOf(candidate?.target_mode === "openapi" ? candidate : before),
    hosts,
    auth,
    state,
    ...(secretVersion !== undefined && { secret_version: secretVersion, secret_set_at: isNewSecret ? at : setAt }),
    ...(before.target_mode === "runtime" && isExamined && { extra_env_names: settingNames(before, entries) }),
    provider_versions: withVersion(before.provider_versions, secretVersion),
    ...(specVersion !== undefined && { spec_version: specVersion }),
    spec_versions: withVersion(before.spec_versions, specVersion),
    ...(isExamined && { known_tools: knownTools(tools), tools_found_at: at }),
    updated_at: at,
    version,
  };
}

/** The settings that a person gives beside a document. */
function choiceOf({ base_url, operations }: Pick<McpServer, "base_url" | "operations">) {
  const isChosen = Object.values(operations ?? {}).some((list) => list !== undefined);
  return { ...(base_url !== undefined && { base_url }), ...(isChosen && { operations }) };
}

/** A provider's way of authentication is the marketplace's of today. */
function authAfter({ provider_id, auth }: McpServer, candidate: Candidate | undefined): McpServer["auth"] {
  if (provider_id !== undefined) return requireProvider(provider_id).auth;
  return (candidate && "auth" in candidate ? candidate.auth : undefined) ?? auth;
}

/** The settings after a change: kept ones that the provider takes no more are left out. */
export function settingNames({ provider_id = "", extra_env_names }: McpServer, entries: Change["entries"]): string[] {
  return entries?.map(({ name }) => name) ?? declaredNames(requireProvider(provider_id), extra_env_names);
}

function withVersion(versions: readonly number[], version: number | undefined): number[] {
  return version === undefined || versions.includes(version) ? [...versions] : [...versions, version];
}
