// The edge function of `mcp.<domain>`, the one origin that an MCP client talks to: CloudFront runs it on each request.
import { markLength } from "../../domain/mcp/names.ts";

export type ConnectorOrigin = {
  /** `https://mcp.<domain>` */
  origin: string;
  /** The user pool's pages that need no style, `https://<prefix>.auth.<region>.amazoncognito.com`. */
  signIn: string;
  /** The user pool's key set. */
  keySet: string;
  region: string;
  /** The one scope of a connector's tokens. */
  scope: string;
  /** The key of the marks in gateways' addresses. */
  relayKey: string;
};

/** The headers that a page in a browser may send and read. */
const cors = {
  "access-control-allow-origin": { value: "*" },
  "access-control-allow-headers": { value: "authorization, content-type, mcp-protocol-version, mcp-session-id" },
  "access-control-expose-headers": { value: "www-authenticate, mcp-session-id" },
};

/**
 * JavaScript for CloudFront Functions 2.0.
 * - `/<gateway>/mcp` goes to the gateway's own host if the mark is ours. A request without a token, or with one that is over, is answered
 *   here: an answer of the origin with a status from 400 on passes no edge function, so that AgentCore's own 401 could not say where our
 *   metadata is. Whether the token is good the gateway decides.
 * - The metadata of resource and authorization server are served from here. Cognito's names no PKCE method, which a client must not accept.
 * - `/authorize` leads to the pool's pages, with the one scope that there is and without `resource`, which the pool would ask a resource
 *   server for. A sign-in without PKCE by S256 is refused here, since the pool takes one without (OAuth 2.1, 4.1.1; MCP demands it).
 * - `/token` passes to its function.
 */
export function connectorRequest({ origin, signIn, keySet, region, scope, relayKey }: ConnectorOrigin): string {
  const authorizationServer = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: keySet,
    scopes_supported: [scope],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
  return `import cf from 'cloudfront';
import crypto from 'crypto';
var origin = ${JSON.stringify(origin)};
var scope = ${JSON.stringify(scope)};
var cors = ${JSON.stringify(cors)};
var server = ${JSON.stringify(authorizationServer)};
var alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function handler(event) {
  var request = event.request;
  var uri = request.uri;
  if (request.method === 'OPTIONS') return answer(204, {});
  if (uri === '/token') return request;
  if (uri === '/authorize') return authorize(request);
  if (uri === '/.well-known/oauth-authorization-server' || uri === '/.well-known/openid-configuration') return json(200, server, {});
  var resource = /^\\/\\.well-known\\/oauth-protected-resource(\\/.*)?$/.exec(uri);
  if (resource) return resource[1] === undefined || gatewayOf(resource[1]) ? json(200, protectedResource(resource[1] || ''), {}) : notFound();
  var gateway = gatewayOf(uri);
  if (!gateway) return notFound();
  var token = /^Bearer +([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]+)\\.[A-Za-z0-9_-]+$/i.exec(request.headers.authorization ? request.headers.authorization.value : '');
  if (!token || !(expiry(token[2]) > Date.now() / 1000)) return unauthorized(uri, request.headers.authorization !== undefined);
  request.uri = '/mcp';
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

function authorize(request) {
  var asked = request.rawQueryString() || '';
  if (!/(^|&)code_challenge=[A-Za-z0-9_-]{43}(&|$)/.test(asked) || !/(^|&)code_challenge_method=S256(&|$)/.test(asked)) {
    return json(400, { error: 'invalid_request', error_description: 'PKCE is required: code_challenge with code_challenge_method=S256' }, {});
  }
  var query = asked.split('&').filter(function (part) {
    return part !== '' && !/^(resource|scope)(=|$)/.test(part);
  });
  query.push('scope=' + encodeURIComponent(scope));
  return answer(302, { location: { value: ${JSON.stringify(`${signIn}/oauth2/authorize?`)} + query.join('&') } });
}

function protectedResource(path) {
  return { resource: origin + path, authorization_servers: [origin], scopes_supported: [scope], bearer_methods_supported: ['header'] };
}

function unauthorized(uri, isOver) {
  var challenge = 'Bearer ' + (isOver ? 'error="invalid_token", error_description="The token is over or no token", ' : '') +
    'resource_metadata="' + origin + '/.well-known/oauth-protected-resource' + uri + '", scope="' + scope + '"';
  var error = isOver ? 'invalid_token' : 'unauthorized';
  return json(401, { error: error, error_description: 'Sign in to use this MCP gateway' }, { 'www-authenticate': { value: challenge } });
}

function notFound() {
  return json(404, { error: 'not_found', error_description: 'There is no MCP gateway at this address' }, {});
}

function expiry(part) {
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
    return JSON.parse(text).exp;
  } catch (error) {
    return 0;
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
  var words = { 200: 'OK', 204: 'No Content', 302: 'Found', 400: 'Bad Request', 401: 'Unauthorized', 404: 'Not Found' };
  return { statusCode: status, statusDescription: words[status], headers: headers };
}
`;
}
