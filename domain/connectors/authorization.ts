// An authorization request of an MCP client, judged before a person is asked. Until client and redirect address are known nothing is sent there.
import type { GatewayStore } from "../mcp/gateway.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import { gatewayOfSignIn } from "./connected-gateway.ts";
import {
  type ClientDependencies,
  type ConnectorClient,
  clientHash,
  findClient,
  mayRedirect,
} from "./connector-client.ts";
import { PageRefusal, RedirectedError } from "./oauth-error.ts";
import type { OwnRedirectStore } from "./own-redirects.ts";
import { isOnThisMachine } from "./redirect-address.ts";
import type { Sealed, Sealing } from "./sealed.ts";

export type AuthorizationDependencies = ClientDependencies & {
  sealing: Sealing;
  gateways: Pick<GatewayStore, "get">;
  ownRedirects: Pick<OwnRedirectStore, "of">;
  tenants: Pick<TenantStore, "get">;
  settings: { origin: string; stack: string };
};

/** The question on the consent page. */
export type ConsentQuestion = {
  /** The answer's form carries it. */
  sealed: string;
  client: ConnectorClient;
  /** The address to which the client gets its code. */
  redirectUri: string;
  /** Whether that address is on the person's own machine, where any program may wait. */
  onThisMachine: boolean;
  workspace: string;
};

/** A page may be open this long before its form is sent, and the sign-in at the user pool may take as long again. */
export const patienceMs = 3_600_000;
/** The user pool takes the state of a sign-in in an address, which CloudFront bounds at 8,192 bytes. */
const longestState = 2_048;

const once = [
  "response_type",
  "client_id",
  "redirect_uri",
  "state",
  "scope",
  "code_challenge",
  "code_challenge_method",
];

/**
 * @param browser the hash of the cookie of the browser that asks
 * @throws PageRefusal, or RedirectedError once the redirect address is known to be the client's
 */
export async function askedConsent(
  deps: AuthorizationDependencies,
  query: URLSearchParams,
  browser: string,
): Promise<ConsentQuestion> {
  const { client, redirectUri } = await requireClient(deps, query);
  const state = query.get("state") ?? undefined;
  const refuse = (code: string, description: string): never => {
    throw new RedirectedError({ redirectUri, state }, code, description);
  };
  const twice = once.find((name) => query.getAll(name).length > 1);
  if (twice !== undefined) refuse("invalid_request", `${twice} is given more than once`);
  if (state !== undefined && state.length > longestState) {
    refuse("invalid_request", `state must have at most ${longestState} characters`);
  }
  if (query.has("request")) refuse("request_not_supported", "Requests as JWT are not supported");
  if (query.has("request_uri")) refuse("request_uri_not_supported", "Requests by reference are not supported");
  if (query.get("response_type") !== "code") refuse("unsupported_response_type", "response_type must be code");
  if (!["query", null].includes(query.get("response_mode"))) refuse("invalid_request", "response_mode must be query");
  const challenge = query.get("code_challenge") ?? "";
  if (!/^[\w-]{43}$/.test(challenge) || query.get("code_challenge_method") !== "S256") {
    refuse("invalid_request", "PKCE is required: code_challenge with code_challenge_method=S256");
  }
  if (query.get("prompt")?.split(" ").includes("none")) {
    refuse("consent_required", "A person has to agree to each sign-in");
  }
  const resources = query.getAll("resource");
  if (resources.length > 1) refuse("invalid_target", "resource must be the address of one MCP gateway");
  const found = await gatewayOfSignIn(deps, client, resources[0]);
  if ("problem" in found) {
    if (found.problem === "unnamed") throw new PageRefusal(unnamed);
    const words = "resource must be the whole address of an MCP gateway, and of the one to which the client id belongs";
    return refuse("invalid_target", words);
  }
  const { tenant_id, address, public_client_id } = found.gateway;
  const tenant = await deps.tenants.get(tenant_id);
  if (tenant?.status !== "active") return refuse("access_denied", "The workspace of this MCP gateway is not active");
  const consent: Sealed<"consent"> = {
    client: clientHash(client.clientId),
    redirect_uri: redirectUri,
    challenge,
    tenant_id,
    address,
    app_client: client.kind === "fixed" ? client.clientId : public_client_id,
    ...(state !== undefined && { state }),
    browser,
  };
  return {
    sealed: await deps.sealing.seal("consent", consent, deps.clock() + patienceMs),
    client,
    redirectUri,
    onThisMachine: isOnThisMachine(redirectUri),
    workspace: tenant.name,
  };
}

const unnamed =
  "The application did not say which MCP gateway it is for. Enter the gateway's whole address in it, or the gateway's own client id";

/** @throws PageRefusal: what is not known to be the client's gets no answer */
async function requireClient(deps: AuthorizationDependencies, query: URLSearchParams) {
  const [clientIds, redirects] = [query.getAll("client_id"), query.getAll("redirect_uri")];
  const [clientId, redirectUri] = [clientIds[0], redirects[0]];
  if (clientIds.length > 1 || redirects.length > 1) {
    throw new PageRefusal("The application's request names itself or its address more than once");
  }
  const client = clientId ? await findClient(deps, clientId) : undefined;
  if (!client) {
    const words = "The application is not known here. Remove the MCP server in the application, and add it again";
    throw new PageRefusal(words);
  }
  if (!redirectUri) throw new PageRefusal("The application's request has no redirect_uri");
  const own = client.kind === "fixed" ? await deps.ownRedirects.of(client.tenantId) : [];
  if (mayRedirect(client, redirectUri, own)) return { client, redirectUri };
  const advice = client.kind === "fixed" ? ". The workspace's owner can name further addresses in the console" : "";
  throw new PageRefusal(`The application wants you back at an address that is not registered for it${advice}`);
}
