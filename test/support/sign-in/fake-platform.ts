// A platform as the token helper meets one, on this machine: discovery, a sign-in that asks nobody, tokens, and one workspace.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type App, appOf, type Discovery } from "../../../packages/sign-in/platform/discovery.ts";

/** Of a browser that goes wherever it is sent: for `BROWSER`, whose words are split at blanks and colons. */
export const obedientBrowser = `${process.execPath} -e fetch(process.argv[1])`;

type Code = { challenge: string; nonce: string };

export class FakePlatform {
  /** Whether each refresh gives a new refresh token. */
  rotates = false;
  /** How long the one before is good for yet: `RetryGracePeriodSeconds` of Cognito's RefreshTokenRotation, 0 to 60. */
  graceSeconds = 60;
  /** Of what a refresh token's grace is counted by, in seconds. */
  now = 0;
  /** Claims and fields in place of the usual ones. */
  claims: object = {};
  tokens: object = {};
  /** Who the caller is, in place of the usual one. */
  me: object = {};
  /** The person's choice of a workspace, which the next token names, and where they are. */
  chosen = "t1";
  workspaces = ["t1"];
  readonly usualBudget = usualMe.budget;
  readonly asked: string[] = [];
  /** The calls of models that it has had. */
  readonly calls: { request_id: string; admitted_at: string; session_id?: string }[] = [];
  readonly codes = new Map<string, Code>();
  /** Until when they are good: Infinity for those that are not used. */
  readonly refreshTokens = new Map<string, number>();
  #listeners = new Map<string, RequestListener>();
  #held = new Map<string, (goOn: () => void) => void>();
  readonly #server: Server;
  readonly #redirectUris: string[];
  url = "";

  private constructor(redirectUris: string[]) {
    this.#redirectUris = redirectUris;
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  static async start(redirectUris: string[]): Promise<FakePlatform> {
    const platform = new FakePlatform(redirectUris);
    await new Promise<void>((resolve) => platform.#server.listen(0, "127.0.0.1", resolve));
    platform.url = `http://127.0.0.1:${(platform.#server.address() as AddressInfo).port}`;
    return platform;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Answers a path in another way, until `usual` is called. */
  answer(path: string, listener: RequestListener): void {
    this.#listeners.set(path, listener);
  }

  usual(): void {
    this.#listeners.clear();
    this.#held.clear();
  }

  /** The next request of a path waits for its answer: ends when it has come, with what lets it go on. */
  hold(path: string): Promise<() => void> {
    return new Promise((resolve) => this.#held.set(path, resolve));
  }

  /** How often a path was asked. */
  count(path: string): number {
    return this.asked.filter((each) => each === path).length;
  }

  /** The token helper, as it signs in here. */
  get app(): App {
    return appOf(this.discovery, "token_helper");
  }

  get discovery(): Discovery & { vendor: string } {
    return {
      issuer: "https://issuer.example",
      api_url: this.url,
      auth_url: this.url,
      proxy_url: `${this.url}/{slug}/vendor`,
      vendor: "vendor",
      region_header: "X-Platform-Region",
      clients: {
        token_helper: { client_id: "helper", redirect_uris: this.#redirectUris, scopes: ["openid"] },
        token_helper_write: { client_id: "helper", redirect_uris: this.#redirectUris, scopes: ["openid"] },
        skills: { client_id: "skills", redirect_uris: this.#redirectUris, scopes: ["openid"] },
      },
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "", this.url);
    const body = new URLSearchParams(await text(request));
    this.asked.push(pathname);
    const sessionId = request.headers["x-claude-code-session-id"];
    const usual = () => this.#answer(pathname, query, body, response, sessionId);
    const held = this.#held.get(pathname);
    this.#held.delete(pathname);
    if (held) held(usual);
    else (this.#listeners.get(pathname) ?? usual)(request, response);
  }

  #answer(
    pathname: string,
    query: URLSearchParams,
    body: URLSearchParams,
    response: ServerResponse,
    sessionId?: unknown,
  ): void {
    const json = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (pathname === "/.well-known/archway.json") json(200, this.discovery);
    else if (pathname === "/oauth2/authorize") response.writeHead(302, { location: this.#authorize(query) }).end();
    else if (pathname === "/oauth2/token") {
      const answer = this.#token(body);
      json(answer ? 200 : 400, answer ?? { error: "invalid_grant" });
    } else if (pathname === "/oauth2/revoke") {
      this.refreshTokens.delete(body.get("token") ?? "");
      json(200, {});
    } else if (/^\/v1\/tenants\/\w+\/activate$/.test(pathname)) {
      const id = pathname.split("/")[3] ?? "";
      if (this.workspaces.includes(id)) this.chosen = id;
      json(this.workspaces.includes(id) ? 200 : 404, {});
    } else if (pathname === "/v1/me") json(200, { ...usualMe, ...this.me });
    else if (pathname === "/acme/vendor/v1/models") json(200, { data: [{ id: "claude-sonnet-5" }] });
    else if (pathname === "/v1/calls") json(200, { data: this.calls });
    else if (pathname === "/acme/vendor/v1/messages") {
      const request_id = randomUUID();
      const session = typeof sessionId === "string" && { session_id: sessionId };
      this.calls.push({ request_id, admitted_at: new Date().toISOString(), ...session });
      response.setHeader("request-id", request_id);
      json(200, { type: "message" });
    } else json(404, { error: { message: "There is no such thing." } });
  }

  /** Where the browser goes with the code. */
  #authorize(query: URLSearchParams): string {
    const code = randomUUID();
    this.codes.set(code, { challenge: query.get("code_challenge") ?? "", nonce: query.get("nonce") ?? "" });
    return `${query.get("redirect_uri")}?${new URLSearchParams({ code, state: query.get("state") ?? "" })}`;
  }

  /** Undefined for a code or token that is none, or was used. */
  #token(body: URLSearchParams): object | undefined {
    if (body.get("grant_type") === "refresh_token") {
      const used = body.get("refresh_token") ?? "";
      if (this.now > (this.refreshTokens.get(used) ?? -1)) return undefined;
      if (!this.rotates) return this.#tokens({});
      if (this.refreshTokens.get(used) === Number.POSITIVE_INFINITY)
        this.refreshTokens.set(used, this.graceSeconds > 0 ? this.now + this.graceSeconds : -1);
      return this.#tokens({}, this.#refreshToken());
    }
    const code = this.codes.get(body.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    this.codes.delete(body.get("code") ?? "");
    return code?.challenge === challenge ? this.#tokens({ nonce: code.nonce }, this.#refreshToken()) : undefined;
  }

  #refreshToken(): string {
    const token = `refresh-${randomUUID()}`;
    this.refreshTokens.set(token, Number.POSITIVE_INFINITY);
    return token;
  }

  #tokens(claims: object, refresh_token?: string): object {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: this.discovery.issuer, aud: "helper", sub: "ann", iat: now, exp: now + 3_600 };
    return {
      access_token: jwt({ jti: randomUUID(), tenant_id: this.chosen, tenant_role: "developer" }),
      id_token: jwt({ ...usual, email: "ann@acme.example", ...claims, ...this.claims }),
      token_type: "Bearer",
      expires_in: 3_600,
      ...(refresh_token && { refresh_token }),
      ...this.tokens,
    };
  }
}

const membership = {
  tenant_id: "t1",
  status: "active",
  tenant_name: "Acme",
  tenant_slug: "acme",
  tenant_status: "active",
};
const usualMe = {
  user_id: "ann",
  email: "ann@acme.example",
  tenant_id: "t1",
  tenant_role: "developer",
  next_tenant_id: "t1",
  memberships: [membership],
  budget: {
    month: "2026-11",
    spent_usd: 12.5,
    reserved_usd: 0,
    limit_usd: 50,
    left_usd: 37.5,
    resets_at: "2026-12-01T00:00:00Z",
    models: ["claude-sonnet-5"],
    regions: ["eu-central-1"],
    default_region: "eu-central-1",
    workspace_capped: false,
  },
};

/** With no signature that anybody could verify. */
function jwt(claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "RS256" })}.${encode(claims)}.c2ln`;
}
