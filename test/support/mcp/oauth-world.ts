// The authorization server of MCP clients with all outside systems in memory, and a browser and a client that use it.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { sealing } from "../../../adapters/sealing.ts";
import { clientDocuments, type FetchedDocument } from "../../../domain/connectors/client-document.ts";
import type { ClientCredentials } from "../../../domain/connectors/pool-tokens.ts";
import type { RefreshFamily } from "../../../domain/connectors/refresh-family.ts";
import type { McpGateway } from "../../../domain/mcp/gateway.ts";
import { gatewayAddress, gatewayName } from "../../../domain/mcp/names.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { OAuthDependencies } from "../../../handlers/oauth/dependencies.ts";
import { oauthHandler } from "../../../handlers/oauth/handler.ts";
import type { OAuthAnswer } from "../../../handlers/oauth/message.ts";

export const origin = "https://mcp.archway.example";
export const signIn = "https://archway-0.auth.eu-central-1.amazoncognito.com";
const relayKey = "r".repeat(64);

export const tenantId = "9b2f0000-0000-4000-8000-0000000000ac";
export const otherTenantId = "9b2f0000-0000-4000-8000-0000000000ad";

/** The clients and the address of a workspace's gateway. */
export function gatewayOf(tenant: string) {
  const mark = tenant.slice(-2);
  const address = gatewayAddress(`${gatewayName("test", tenant)}-abcde12345`, relayKey);
  return { address, endpoint: `${origin}/${address}/mcp`, fixed: `confidential${mark}`, public: `public${mark}` };
}

export const gateway = gatewayOf(tenantId);
export const otherGateway = gatewayOf(otherTenantId);
export const secret = "s3cret";

export type Answer = OAuthAnswer & { headers: Record<string, string>; statusCode: number; body: string };

export const verifier = "v".repeat(43);
export const challenge = createHash("sha256").update(verifier).digest("base64url");
export const redirectUri = "http://localhost:3334/oauth/callback";

export class OAuthWorld {
  now = Date.UTC(2026, 10, 28);
  keys = ["a".repeat(64)];
  /** The claim `tenant_id` of the pool's tokens: missing for a person who is no member. */
  memberOf: string | undefined = tenantId;
  readonly records = new Map<string, McpGateway>(
    [tenantId, otherTenantId].map((tenant) => {
      const { address, fixed, public: open } = gatewayOf(tenant);
      const made = { tenant_id: tenant, state: "ready" as const, created_at: "2026-11-23T10:00:00.000Z", address };
      return [tenant, { ...made, client_id: fixed, public_client_id: open }];
    }),
  );
  readonly ownRedirects = new Map<string, string[]>();
  tenantStatus = "active";
  readonly documents = new Map<string, FetchedDocument>();
  readonly fetched: string[] = [];
  readonly families = new Map<string, RefreshFamily>();
  readonly entries: AuditEntry[] = [];
  readonly problems: string[] = [];
  /** The forms that the pool got, with the clients that sent them. */
  readonly asked: { client: ClientCredentials; form: Record<string, string> }[] = [];
  poolFails: { status: number; body: string } | Error | undefined;
  readonly #codes = new Map<string, { challenge: string; clientId: string }>();
  readonly #revoked = new Set<string>();
  #handler: ReturnType<typeof oauthHandler> | undefined;

  get deps(): OAuthDependencies {
    return {
      sealing: {
        seal: (...asked) => sealing(this.keys).seal(...asked),
        open: (...asked) => sealing(this.keys).open(...asked),
      },
      documents: clientDocuments(
        async (address) => {
          this.fetched.push(address);
          return this.documents.get(address) ?? { failure: "its server answers with status 404" };
        },
        () => this.now,
      ),
      fixedClients: {
        tenantOf: async (clientId) => {
          const found = [...this.records.values()].find((one) =>
            [one.client_id, one.public_client_id].includes(clientId),
          );
          return found?.tenant_id;
        },
      },
      gateways: { get: async (tenant) => this.records.get(tenant) },
      ownRedirects: { of: async (tenant) => this.ownRedirects.get(tenant) ?? [] },
      tenants: { get: async () => ({ name: "Acme <Tools>", status: this.tenantStatus }) as never },
      families: {
        get: async (_, familyId) => this.families.get(familyId),
        begin: async (family) => {
          const known = this.families.get(family.family_id);
          if (!known || known.generation < family.generation) {
            this.families.set(family.family_id, { ...known, ...family });
          }
        },
        noteStale: async (_, familyId, at, entry) => {
          const family = this.families.get(familyId);
          if (!family || family.stale_seen_at !== undefined) return;
          this.families.set(familyId, { ...family, stale_seen_at: at });
          this.entries.push(entry);
        },
      },
      pool: {
        token: async (form, client) => this.#poolToken(form, client),
        revoke: async (token, client) => {
          this.asked.push({ client, form: { revoked: token } });
          if (this.poolFails) return this.#failed();
          this.#revoked.add(token);
          return { status: 200, body: "" };
        },
      },
      clock: () => this.now,
      newId: randomUUID,
      newVerifier: () => randomBytes(32).toString("base64url"),
      newBrowser: () => randomBytes(32).toString("base64url"),
      settings: { origin, stack: "test", signIn, scope: "platform/mcp:connect" },
      log: { info: () => {}, problem: (message) => void this.problems.push(message) },
    };
  }

  async ask(
    method: string,
    path: string,
    { query = "", body = "", headers = {}, cookies = [] as readonly string[] } = {},
  ): Promise<Answer> {
    this.#handler ??= oauthHandler(this.deps);
    const event = {
      headers,
      cookies: [...cookies],
      rawQueryString: query,
      body,
      isBase64Encoded: false,
      requestContext: { http: { method, path } },
    };
    return (await this.#handler(event)) as Answer;
  }

  /** @returns the client's id @throws Error if the registration is refused */
  async register(metadata: object = { redirect_uris: [redirectUri] }): Promise<string> {
    const { statusCode, body } = await this.ask("POST", "/register", { body: JSON.stringify(metadata) });
    if (statusCode !== 201) throw new Error(body);
    return JSON.parse(body).client_id;
  }

  /** The pool signs the person in at an address of its pages. @returns the query with which it sends the browser back */
  signInAt(address: string): string {
    const asked = new URL(address).searchParams;
    const code = randomUUID();
    this.#codes.set(code, { challenge: asked.get("code_challenge") ?? "", clientId: asked.get("client_id") ?? "" });
    return String(new URLSearchParams({ code, state: asked.get("state") ?? "" }));
  }

  token(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask("POST", "/token", { body: String(new URLSearchParams(form)), headers });
  }

  #failed() {
    if (this.poolFails instanceof Error) throw this.poolFails;
    return this.poolFails ?? { status: 500, body: "" };
  }

  #poolToken(form: Record<string, string>, client: ClientCredentials) {
    this.asked.push({ client, form });
    if (this.poolFails) return this.#failed();
    const refused = (error: string) => ({ status: 400, body: JSON.stringify({ error }) });
    const isConfidential = client.clientId.startsWith("confidential");
    if (client.secret !== (isConfidential ? secret : undefined)) return refused("invalid_client");
    if (form.grant_type === "authorization_code") {
      const known = this.#codes.get(form.code ?? "");
      this.#codes.delete(form.code ?? "");
      const given = createHash("sha256")
        .update(form.code_verifier ?? "")
        .digest("base64url");
      if (known?.challenge !== given || known.clientId !== client.clientId) return refused("invalid_grant");
    } else if (this.#revoked.has(form.refresh_token ?? "")) return refused("invalid_grant");
    const claims = { sub: "ann", jti: randomUUID(), ...(this.memberOf && { tenant_id: this.memberOf }) };
    const access_token = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
    const refresh = form.grant_type === "authorization_code" && { refresh_token: `pool-${randomUUID()}` };
    return { status: 200, body: JSON.stringify({ access_token, expires_in: 900, token_type: "Bearer", ...refresh }) };
  }
}

/** A person's browser, which keeps its cookies. */
export class PersonBrowser {
  readonly world: OAuthWorld;
  cookies: string[] = [];

  constructor(world: OAuthWorld) {
    this.world = world;
  }

  async open(path: string, query: string | Record<string, string | undefined>): Promise<Answer> {
    const answer = await this.world.ask("GET", path, { query: queryOf(query), cookies: this.cookies });
    return this.#keep(answer);
  }

  /** Sends the form of a consent page. */
  async decide(page: Answer, decision: string, headers: Record<string, string> = {}): Promise<Answer> {
    const [, request = ""] = /name="request" value="([^"]*)"/.exec(page.body) ?? [];
    const body = String(new URLSearchParams({ request, decision }));
    return this.#keep(await this.world.ask("POST", "/authorize", { body, headers, cookies: this.cookies }));
  }

  /** From the consent page to the client's address, with all parameters of the answer. */
  async agree(query: string | Record<string, string | undefined>): Promise<URL> {
    const page = await this.open("/authorize", query);
    const toPool = await this.decide(page, "allow");
    const back = await this.open("/callback", this.world.signInAt(toPool.headers.location ?? ""));
    return new URL(back.headers.location ?? "");
  }

  #keep(answer: Answer): Answer {
    for (const cookie of answer.cookies ?? []) {
      const [pair = ""] = cookie.split(";");
      const [name = ""] = pair.split("=");
      this.cookies = [...this.cookies.filter((kept) => !kept.startsWith(`${name}=`)), pair];
    }
    return answer;
  }
}

/** An authorization request of a client, whole unless changed; undefined takes a parameter away. */
export function authorizeQuery(changes: Record<string, string | undefined>): Record<string, string | undefined> {
  return {
    response_type: "code",
    redirect_uri: redirectUri,
    state: "a+b=",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: gateway.endpoint,
    ...changes,
  };
}

function queryOf(query: string | Record<string, string | undefined>): string {
  if (typeof query === "string") return query;
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return String(new URLSearchParams(given));
}
