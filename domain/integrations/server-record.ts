// The record of an integration after a change of people. A registration is the first change of a record that has nothing yet.
import { knownTools, verificationOf } from "../upstream/verification.ts";
import type { Examined } from "./examination.ts";
import type { McpServer } from "./mcp-server.ts";
import { type Asked, type AskedRegistration, settingNames } from "./server-request.ts";

/** The record before its registration, as version 0. */
export function unregistered(
  { name, mode, providerId, auth }: AskedRegistration,
  { tenant_id, server_id, created_by }: Pick<McpServer, "tenant_id" | "server_id" | "created_by">,
  now: number,
): McpServer {
  const at = new Date(now).toISOString();
  return {
    server_id,
    tenant_id,
    name,
    ...(providerId !== undefined && { provider_id: providerId }),
    target_mode: mode,
    hosts: [],
    auth,
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

type Change = { asked: Asked; examined: Examined } & Pick<McpServer, "state" | "hosts">;

/** The version that follows. Its rules are those of the version before. */
export function changedRecord(
  before: McpServer,
  { asked: { auth, endpoint, secret, entries, candidate }, examined, state, hosts }: Change,
  now: number,
): McpServer {
  const { reason: _, secret_version: __, spec_version: ___, secret_set_at: setAt, verification, ...kept } = before;
  const { tools, document, untried } = examined;
  const version = before.version + 1;
  const at = new Date(now).toISOString();
  const isExamined = candidate !== undefined;
  const isNewSecret = secret !== undefined || entries !== undefined;
  const secretVersion = auth.kind === "none" ? undefined : isNewSecret ? version : before.secret_version;
  const specVersion = document === undefined ? before.spec_version : version;
  return {
    ...kept,
    // An earlier finding is about another credential, document or address: who has replaced a refused credential is not shown it as refused.
    ...(!isExamined && verification && { verification }),
    ...(untried && { verification: verificationOf(untried, {}, now) }),
    ...(endpoint !== undefined && { endpoint }),
    hosts,
    auth,
    state,
    ...(secretVersion !== undefined && { secret_version: secretVersion, secret_set_at: isNewSecret ? at : setAt }),
    ...(before.target_mode === "runtime" && isExamined && { extra_env_names: settingNames(before, entries) }),
    provider_versions: withVersion(before.provider_versions, secretVersion),
    ...(specVersion !== undefined && { spec_version: specVersion }),
    spec_versions: withVersion(before.spec_versions, specVersion),
    ...(isExamined && { known_tools: knownTools(tools) }),
    updated_at: at,
    version,
  };
}

function withVersion(versions: readonly number[], version: number | undefined): number[] {
  return version === undefined || versions.includes(version) ? [...versions] : [...versions, version];
}
