// The edge function of `mcp.<domain>`, the one origin that an MCP client talks to: CloudFront runs it on each request.
import { markLength } from "../../domain/mcp/names.ts";

export type ConnectorOrigin = {
  /** `https://mcp.<domain>` */
  origin: string;
  /** The user pool, as its tokens name it. */
  tokenIssuer: string;
  region: string;
  /** The one scope of a connector's tokens. */
  scope: string;
  /** The key of the marks in gateways' addresses. */
  relayKey: string;
};

/** The headers that a page in a browser may send and read. */
export const corsHeaders = {
  allowed:
    "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id".split(
      ", ",
    ),
  exposed: ["www-authenticate", "mcp-session-id"],
};

const cors = {
  "access-control-allow-origin": { value: "*" },
  "access-control-allow-headers": { value: corsHeaders.allowed.join(", ") },
  "access-control-expose-headers": { value: corsHeaders.exposed.join(", ") },
};

/** The paths of the function `oauth`. */
const endpoints = ["/register", "/authorize", "/callback", "/token", "/revoke"];

/**
 * JavaScript for CloudFront Functions 2.0.
 * - `/<gateway>/mcp` goes to the gateway's own host if the mark is ours. A request without a token, or with one that is over, of another issuer or
 *   for another workspace, is answered here: an answer of the origin with a status from 400 on passes no edge function, so that AgentCore's own 401
 *   could not say where our metadata is. Whether the token's signature is good the gateway decides. It gets no cookie of ours.
 * - The metadata of resource and authorization server are served from here.
 * - The endpoints of the authorization server pass to its function.
 */
export function connectorRequest({ origin, tokenIssuer, region, scope, relayKey }: ConnectorOrigin): string {
  const authenticationMethods = ["client_secret_basic", "client_secret_post", "none"];
  const authorizationServer = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    revocation_endpoint: `${origin}/revoke`,
    jwks_uri: `${tokenIssuer}/.well-known/jwks.json`,
    scopes_supported: [scope],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: authenticationMethods,
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
  return `import cf from 'cloudfront';
import crypto from 'crypto';
var origin = ${JSON.stringify(origin)};
var scope = ${JSON.stringify(scope)};
var cors = ${JSON.stringify(cors)};
var endpoints = ${JSON.stringify(endpoints)};
var server = ${JSON.stringify(authorizationServer)};
var alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function handler(event) {
  var request = event.request;
  var uri = request.uri;
  if (request.method === 'OPTIONS') return answer(204, {});
  if (endpoints.indexOf(uri) >= 0) return request;
  if (uri === '/.well-known/oauth-authorization-server' || uri === '/.well-known/openid-configuration') return json(200, server, {});
  var resource = /^\\/\\.well-known\\/oauth-protected-resource(\\/.*)?$/.exec(uri);
  if (resource) return resource[1] === undefined || gatewayOf(resource[1]) ? json(200, protectedResource(resource[1] || ''), {}) : notFound();
  var gateway = gatewayOf(uri);
  if (!gateway) return notFound();
  var token = /^Bearer +([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]+)\\.[A-Za-z0-9_-]+$/i.exec(request.headers.authorization ? request.headers.authorization.value : '');
  if (!token || !isFor(gateway, claims(token[2]))) return unauthorized(uri, request.headers.authorization !== undefined);
  request.uri = '/mcp';
  request.cookies = {};
  var host = gateway + '.gateway.bedrock-agentcore.${region}.amazonaws.com';
  cf.updateRequestOrigin({ domainName: host, hostHeader: host });
  return request;
}

function gatewayOf(path) {
  var found = /^\\/([0-9a-z-]{1,100}-[0-9a-z]{10})-([0-9a-f]{${markLength}})\\/mcp$/.exec(path);
  if (!found) return undefined;
  var mark = crypto.createHmac('sha256', ${JSON.stringify(relayKey)}).update(found[1]).digest('hex').substring(0, ${markLength});
  return mark === found[2] ? found[1] : undefined;
}

function isFor(gateway, token) {
  var tenant = /-([0-9a-f]{32})-[0-9a-z]{10}$/.exec(gateway);
  return token.exp > Date.now() / 1000 && token.iss === ${JSON.stringify(tokenIssuer)} &&
    tenant !== null && String(token.tenant_id).replace(/-/g, '') === tenant[1];
}

function protectedResource(path) {
  return { resource: origin + path, authorization_servers: [origin], scopes_supported: [scope], bearer_methods_supported: ['header'] };
}

function unauthorized(uri, isOver) {
  var challenge = 'Bearer ' + (isOver ? 'error="invalid_token", error_description="The token is over, or not for this MCP gateway", ' : '') +
    'resource_metadata="' + origin + '/.well-known/oauth-protected-resource' + uri + '", scope="' + scope + '"';
  var error = isOver ? 'invalid_token' : 'unauthorized';
  return json(401, { error: error, error_description: 'Sign in to use this MCP gateway' }, { 'www-authenticate': { value: challenge } });
}

function notFound() {
  return json(404, { error: 'not_found', error_description: 'There is no MCP gateway at this address' }, {});
}

function claims(part) {
  var bits = 0;
  var held = 0;
  var text = '';
  for (var i = 0; i < part.length; i++) {
    held = ((held << 6) | alphabet.indexOf(part[i])) & 16383;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      text += String.fromCharCode((held >> bits) & 255);
    }
  }
  try {
    return JSON.parse(text) || {};
  } catch (error) {
    return {};
  }
}

function json(status, value, headers) {
  headers['content-type'] = { value: 'application/json' };
  var answered = answer(status, headers);
  answered.body = { encoding: 'text', data: JSON.stringify(value) };
  return answered;
}

function answer(status, headers) {
  for (var name in cors) headers[name] = cors[name];
  headers['cache-control'] = { value: 'no-store' };
  headers['x-content-type-options'] = { value: 'nosniff' };
  var words = { 200: 'OK', 204: 'No Content', 401: 'Unauthorized', 404: 'Not Found' };
  return { statusCode: status, statusDescription: words[status], headers: headers };
}
`;
}
