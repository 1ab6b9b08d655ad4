// Judges each message that passes a gateway: a member's goes on unchanged, anybody else's is answered in the gateway's place, and so is a
// call of a tool that is not for the member. Lists lack such tools, and each call of a tool leaves one line in the log. The event
// (docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-interceptors-types.html) holds the caller's token, which is never logged.
import * as z from "zod";
import { isEnded } from "../../domain/access/sign-out.ts";
import { Cache } from "../../domain/kernel/cache.ts";
import { list, record } from "../../domain/kernel/json.ts";
import type { Log } from "../../domain/kernel/log.ts";
import { type StandingDependencies, standings } from "../../domain/tools/standing.ts";
import type { ToolCallLog } from "../../domain/tools/tool-call.ts";
import { lineParts, messagesOf, outcomeOf, toolCallOf, toolListOf, visibleTools } from "./tool-message.ts";

export type GatewayRequest = { headers?: Record<string, string> | null; body?: unknown };
export type GatewayResponse = { statusCode: number; headers?: Record<string, string> | null; body?: unknown };

/** Without `gatewayResponse` the message is on its way to the target, with it the answer is on its way back. */
export type Interception = { mcp: { gatewayRequest: GatewayRequest; gatewayResponse?: GatewayResponse | null } };

export type Intercepted = {
  interceptorOutputVersion: "1.0";
  mcp:
    | { transformedGatewayRequest: { body: unknown } }
    | { transformedGatewayResponse: { statusCode: number; body: unknown } };
};

export type InterceptorDependencies = StandingDependencies & { toolCalls: ToolCallLog; log: Log };

/** JSON-RPC leaves the codes from -32099 to -32000 to servers (jsonrpc.org/specification, section 5.1). */
const refusedCode = -32_001;
/** A call may take AgentCore 15 minutes. */
const longestCallMs = 15 * 60_000;

const claimsSchema = z.object({
  sub: z.string().min(1),
  tenant_id: z.string().min(1),
  auth_time: z.number().optional(),
});
type Claims = z.output<typeof claimsSchema>;

export function interceptorHandler(deps: InterceptorDependencies) {
  const { toolCalls, clock, log } = deps;
  const standing = standings(deps);
  // The gateway's two questions about a call mostly reach the same instance, one after the other.
  const begun = new Cache<number>({ size: 2_000, ttlMs: longestCallMs, clock });
  const placeOf = ({ sub, tenant_id }: Claims, id: unknown) => `${tenant_id} ${sub} ${JSON.stringify(id)}`;

  async function onRequest({ headers, body }: GatewayRequest): Promise<Intercepted> {
    const claims = claimsOf(headers);
    const reason = claims ? await reasonAgainst(claims, body) : "The token names no workspace.";
    if (reason === undefined) {
      for (const message of messagesOf(body)) {
        const call = toolCallOf(message);
        if (call && claims) begun.set(placeOf(claims, call.id), clock());
      }
      return request(body);
    }
    for (const message of messagesOf(body)) {
      const call = toolCallOf(message);
      if (!call || !claims) continue;
      toolCalls.write({
        tenant_id: claims.tenant_id,
        caller_id: claims.sub,
        ...lineParts(call),
        outcome: "refused",
        ms: 0,
      });
    }
    return refusal(body, reason);
  }

  async function reasonAgainst({ sub, tenant_id, auth_time }: Claims, body: unknown): Promise<string | undefined> {
    const found = await standing(sub, tenant_id);
    if (!found.isOpen) return found.reason;
    const isOver = found.signedOutAt !== undefined && isEnded({ auth_time }, found.signedOutAt);
    if (isOver) return "This sign-in was ended. Connect again to sign in.";
    const calls = messagesOf(body).flatMap((message) => toolCallOf(message) ?? []);
    return calls.map(({ called }) => found.reasonAgainst(called)).find((reason) => reason !== undefined);
  }

  async function onResponse(asked: GatewayRequest, { statusCode, body = null }: GatewayResponse): Promise<Intercepted> {
    const claims = claimsOf(asked.headers);
    note(claims, asked, { statusCode, body });
    const asksForTools = messagesOf(asked.body).flatMap((message) => toolListOf(message) ?? []);
    if (asksForTools.length === 0) return response(statusCode, body);
    const found = claims && (await standing(claims.sub, claims.tenant_id));
    const isHidden = (tool: string) => !found?.isOpen || found.reasonAgainst(tool) !== undefined;
    // Only an answer to a question for the tools holds tools; other answers of a batch pass as they are.
    const shown = messagesOf(body).map((one) => {
      const isList = Array.isArray(body) ? asksForTools.some(({ id }) => id === record(one).id) : true;
      return isList ? visibleTools(one, isHidden) : one;
    });
    return response(statusCode, Array.isArray(body) ? shown : (shown[0] ?? null));
  }

  function note(claims: Claims | undefined, asked: GatewayRequest, { statusCode, body }: GatewayResponse): void {
    const answers = messagesOf(body);
    for (const message of messagesOf(asked.body)) {
      const call = toolCallOf(message);
      if (!call || !claims) continue;
      const answer = answers.length > 1 ? answers.find((one) => record(one).id === call.id) : answers[0];
      const at = begun.get(placeOf(claims, call.id));
      toolCalls.write({
        tenant_id: claims.tenant_id,
        caller_id: claims.sub,
        ...lineParts(call),
        outcome: outcomeOf(statusCode, answer),
        ...(at !== undefined && { ms: clock() - at }),
      });
    }
  }

  return async ({ mcp: { gatewayRequest, gatewayResponse } }: Interception): Promise<Intercepted> => {
    try {
      return gatewayResponse ? await onResponse(gatewayRequest, gatewayResponse) : await onRequest(gatewayRequest);
    } catch (error) {
      log.problem("A message could not be judged", {}, error);
      // An answer's question has passed already, unless it would show tools; a question that was not judged does not.
      const isShown = !messagesOf(gatewayRequest.body).some((message) => toolListOf(message));
      if (gatewayResponse && isShown) return response(gatewayResponse.statusCode, gatewayResponse.body ?? null);
      return refusal(gatewayRequest.body, "The platform could not judge this call. Try again.");
    }
  };
}

/** The gateway has verified the token, and lets no other pass. */
function claimsOf(headers: Record<string, string> | null | undefined): Claims | undefined {
  const [, token = ""] = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  const [, payload = ""] = token.replace(/^bearer\s+/i, "").split(".");
  try {
    return claimsSchema.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))).data;
  } catch {
    return undefined;
  }
}

function request(body: unknown): Intercepted {
  return { interceptorOutputVersion: "1.0", mcp: { transformedGatewayRequest: { body } } };
}

function response(statusCode: number, body: unknown): Intercepted {
  return { interceptorOutputVersion: "1.0", mcp: { transformedGatewayResponse: { statusCode, body } } };
}

/** A tool's answer that it failed is what a model reads; other questions get an error of JSON-RPC, and notifications nothing. */
function refusal(body: unknown, reason: string): Intercepted {
  const answers = messagesOf(body).flatMap((message): object[] => {
    const { id } = record(message);
    if (id === undefined) return [];
    if (toolCallOf(message)) {
      const result = { isError: true, content: [{ type: "text", text: reason }] };
      return [{ jsonrpc: "2.0", id, result }];
    }
    return [{ jsonrpc: "2.0", id, error: { code: refusedCode, message: reason } }];
  });
  if (answers.length === 0) return response(messagesOf(body).length > 0 ? 202 : 403, {});
  return response(200, list(body).length > 0 ? answers : answers[0]);
}
