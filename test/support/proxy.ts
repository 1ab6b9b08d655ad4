// The proxy as its caller sees it, over memory: accounting, tenants, grants, a model host that plays what a test writes, a log
// and a clock that stands still.
import { createHash, randomBytes } from "node:crypto";
import type { Context } from "aws-lambda";
import { compareApiKey, hashApiKey } from "../../adapters/bcrypt.ts";
import type { ApiKey } from "../../domain/access/api-key.ts";
import { type Claims, KeySetUnavailable, type TokenVerifier } from "../../domain/access/credential.ts";
import type { Grant, GrantRecord } from "../../domain/access/grant.ts";
import { mintApiKey, mintApiKeyId } from "../../domain/access/key-text.ts";
import type { UnsettledUsage } from "../../domain/budget/unsettled.ts";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";
import type { ModelHostFailure } from "../../domain/messages/model-host.ts";
import type { RequestFacts, RequestMeasures } from "../../domain/messages/telemetry.ts";
import type { Tenant } from "../../domain/workspace/tenant.ts";
import type { ProxyDependencies, ProxySettings } from "../../handlers/proxy/dependencies.ts";
import { proxyHandler } from "../../handlers/proxy/handler.ts";
import { aGrant, aTenant, tenantId } from "./accounting/admissions.ts";
import { MemoryAccounting } from "./accounting/memory-accounting.ts";
import { type LogLine, plainTokens, tokenOf } from "./control-plane.ts";
import { FakeTime } from "./fake-time.ts";
import { PlayedHost } from "./messages/played-host.ts";
import { ResponseStream, type StreamingHandler } from "./program/response-stream.ts";

export const originSecret = "an origin secret of more than 32 characters";

const settings: ProxySettings = {
  originSecretHashes: [createHash("sha256").update(originSecret).digest("hex")],
  proxyDomain: "proxy.localhost",
  consoleUrl: "https://console.localhost",
  scopePrefix: "platform",
  vendorSegments: ["vendor", "anthropic"],
  headerNames: { session: ["x-code-session-id", "x-claude-code-session-id"], region: ["x-platform-region"] },
  defaultLimits: { maxInFlight: 64, rate: { burst: 60, perMinute: 600 } },
  enforceFreeCredit: true,
  maxCrowd: 1_000,
  budgetStatus: 429,
  assistantStatus: 409,
  idleMs: 115_000,
  pingMs: 15_000,
  statusMs: 50_000,
  silenceMs: 300_000,
};

const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };

/** A stream as the model host writes it: 100 tokens in, 20 out. */
export const plainEvents = [
  { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", content: [], usage } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "An arch é is a curve." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 20 } },
  { type: "message_stop", "amazon-bedrock-invocationMetrics": { inputTokenCount: 100, outputTokenCount: 20 } },
].map((event) => JSON.stringify(event));

export const plainMessage = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "An arch is a curve." }],
  usage: { ...usage, output_tokens: 20 },
});

/** claude-sonnet-5 through `eu.`: 2.20 and 11 USD per million tokens; 100 in and 20 out. */
export const plainCost = 100 * 2_200 + 20 * 11_000;

/** The status of the answer to each failure of the model host, if nothing was sent before. */
export const failureStatuses: [ModelHostFailure, number][] = [
  ["rejected", 400],
  ["denied", 502],
  ["broken", 502],
  ["throttled", 503],
  ["unavailable", 503],
  ["timeout", 503],
];

export type ProxyRequest = {
  method?: string;
  path?: string;
  host?: string;
  headers?: Record<string, string | undefined>;
  body?: unknown;
  query?: Record<string, string>;
  base64?: boolean;
};

export const question = { model: "claude-sonnet-5", max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] };

/** @param change replaces dependencies. @param changedSettings replaces settings. */
export function openProxy(change: Partial<ProxyDependencies> = {}, changedSettings: Partial<ProxySettings> = {}) {
  const time = new FakeTime();
  const accounting = new MemoryAccounting(time.clock);
  const unsettled: UnsettledUsage[] = [];
  const uses: [keyId: string, at: number][] = [];
  const host = new PlayedHost({ events: plainEvents, message: plainMessage });
  const lines: LogLine[] = [];
  const finished: { facts: RequestFacts; measures: RequestMeasures }[] = [];
  const refused: string[] = [];
  const flagsRefused: string[][] = [];
  const fieldsRefused: string[][] = [];
  const refusalFacts: RequestFacts[] = [];
  const regionsShort: (string | undefined)[] = [];
  const tenants = new Map<string, Tenant>([["acme", aTenant()]]);
  const grants = new Map<string, Grant>([[`${tenantId} dev`, aGrant()]]);
  const keys = new Map<string, ApiKey>();
  /** When people signed out everywhere, in milliseconds. */
  const signOuts = new Map<string, number>();
  const tokens: TokenVerifier = {
    verify: async (token) => {
      const claims = await plainTokens.verify(token);
      if (claims.client_id === "outage") throw new KeySetUnavailable(new Error("no key set"));
      return claims;
    },
  };
  const handler = proxyHandler({
    tokens,
    signOuts: { of: async (sub) => signOuts.get(sub) },
    tenants: { getBySlug: async (slug) => tenants.get(slug) },
    grants: { get: async (tenant, sub) => grants.get(`${tenant} ${sub}`) as GrantRecord | undefined },
    apiKeys: { get: async (keyId: string) => keys.get(keyId) } as ProxyDependencies["apiKeys"],
    lastUses: { put: async (keyId, now) => void uses.push([keyId, now]) },
    compareApiKey,
    spending: accounting.spending,
    idleSlices: accounting.idleSlices,
    ledger: accounting.ledger,
    transactions: accounting.transactions,
    waitingRoom: accounting.waitingRoom,
    crowd: accounting.crowd,
    unsettled: { send: async (usage) => void unsettled.push(usage) },
    modelHost: host,
    catalog: parseCatalog(catalogData),
    telemetry: {
      finished: (facts, measures) => void finished.push({ facts, measures }),
      flagsRefused: (flags) => void flagsRefused.push([...flags]),
      fieldsRefused: (fields) => void fieldsRefused.push([...fields]),
      regionShort: ({ region }) => void regionsShort.push(region),
      refused: (code, facts) => {
        refused.push(code);
        refusalFacts.push({ ...facts });
      },
    },
    log: {
      info: (message, facts) => void lines.push({ message, facts }),
      problem: (message, facts, error) => void lines.push({ message, facts, error }),
    },
    clock: time.clock,
    random: randomBytes,
    schedule: time.schedule,
    pause: (milliseconds) => time.advance(milliseconds),
    settings: { ...settings, ...changedSettings },
    ...change,
  }) as unknown as StreamingHandler;
  let requests = 0;

  /** Sends a request; what it gives says how the answer stands at each moment. */
  function send(request: ProxyRequest = {}) {
    const stream = new ResponseStream();
    const requestId = `request-${++requests}`;
    const deadline = time.clock() + 900_000;
    const context = {
      awsRequestId: requestId,
      getRemainingTimeInMillis: () => deadline - time.clock(),
    } as Context;
    const ended = new Promise<void>((resolve) => stream.once("close", resolve));
    const running = {
      requestId,
      stream,
      /** Everything is sent and settled; rejects as the function would. */
      settled: handler(eventOf(request), stream, context),
      /** The answer's last byte is sent, or the client has left. */
      ended,
      get status() {
        return stream.prelude?.statusCode;
      },
      get headers() {
        return stream.prelude?.headers ?? {};
      },
      get text() {
        return Buffer.concat(stream.chunks).toString();
      },
      // biome-ignore lint/suspicious/noExplicitAny: tests read into it
      get json(): any {
        return JSON.parse(this.text);
      },
    };
    running.settled.catch(() => {});
    return running;
  }

  /** The whole exchange, settlement included. */
  async function ask(request: ProxyRequest = {}) {
    const answer = send(request);
    await answer.settled;
    return answer;
  }

  /** A key of the tenant, as it is presented. */
  async function issueKey(changes: Partial<ApiKey> = {}): Promise<string> {
    const { key, key_id, last4 } = mintApiKey(changes.mode ?? "live", mintApiKeyId(randomBytes), randomBytes);
    keys.set(key_id, {
      key_id,
      tenant_id: tenantId,
      name: "CI",
      mode: "live",
      hash: await hashApiKey(key),
      last4,
      role: "service_account",
      caller_id: "sa_1",
      scope: "proxy:invoke",
      status: "active",
      created_by: "owner",
      created_at: "2026-11-01T00:00:00.000Z",
      version: 1,
      grant: aGrant(),
      ...changes,
    });
    return key;
  }

  const spendingOf = (callerId = "dev", month = "2026-11") => accounting.of({ tenantId, callerId, month });
  const rowOf = (requestId: string) => accounting.rows.get(requestId);
  return {
    time,
    accounting,
    unsettled,
    uses,
    host,
    lines,
    finished,
    refused,
    flagsRefused,
    fieldsRefused,
    refusalFacts,
    regionsShort,
    tenants,
    grants,
    keys,
    signOuts,
    send,
    ask,
    issueKey,
    spendingOf,
    rowOf,
  };
}

export type TestProxy = ReturnType<typeof openProxy>;

/** A token of a developer of the tenant who may call models. */
export function proxyToken(claims: Partial<Claims> = {}): string {
  return tokenOf({ client_id: "helper", sub: "dev", tenant_id: tenantId, scope: "platform/proxy:invoke", ...claims });
}

function eventOf({
  method = "POST",
  path,
  host = "acme.proxy.localhost",
  headers,
  body = question,
  query,
  base64,
}: ProxyRequest) {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const all: Record<string, string | undefined> = {
    "x-origin-secret": originSecret,
    "x-viewer-host": host,
    "content-type": "application/json",
    authorization: `Bearer ${proxyToken()}`,
    ...headers,
  };
  return {
    version: "2.0",
    rawPath: path ?? "/vendor/v1/messages",
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    ...(query && { queryStringParameters: query, rawQueryString: String(new URLSearchParams(query)) }),
    requestContext: { http: { method, path: path ?? "/vendor/v1/messages" } },
    ...(text !== undefined && method !== "GET" && { body: base64 ? Buffer.from(text).toString("base64") : text }),
    isBase64Encoded: base64 === true,
  };
}
