// The token endpoint of MCP clients: the user pool's own, without the parameter `resource`. MCP clients must send it, and the pool would
// look for a resource server of that name. Whoever is no member of the gateway's workspace gets no token, since the gateway takes none of theirs.
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Log } from "../../domain/kernel/log.ts";
import { answerHeaders } from "../middleware/answer-headers.ts";

/** The user pool's endpoint for tokens: the request that it gets, and its answer. */
export type TokenEndpoint = (request: {
  form: string;
  authorization: string | undefined;
}) => Promise<{ status: number; body: string }>;

export type TokenDependencies = { endpoint: TokenEndpoint; log: Log };

type Event = Pick<APIGatewayProxyEventV2, "headers" | "body" | "isBase64Encoded" | "requestContext">;

export function tokenHandler({ endpoint, log }: TokenDependencies) {
  return async ({ headers, body = "", isBase64Encoded, requestContext }: Event) => {
    if (requestContext.http.method !== "POST")
      return answer(405, error("invalid_request", "The token endpoint takes POST"));
    const form = new URLSearchParams(isBase64Encoded ? Buffer.from(body, "base64").toString("utf8") : body);
    form.delete("resource");
    try {
      const { status, body: text } = await endpoint({ form: form.toString(), authorization: headers.authorization });
      if (status === 200 && !namesWorkspace(text)) {
        const words =
          "You are no member of the workspace of this gateway: ask its owner for an invitation, or sign in as another person";
        return answer(400, error("access_denied", words));
      }
      return answer(status, text);
    } catch (cause) {
      log.problem("The user pool's token endpoint does not answer", {}, cause);
      return answer(503, error("temporarily_unavailable", "The identity provider does not answer, try again"));
    }
  };
}

/** The trigger before a token names the gateway's workspace to its members alone (domain/access/token-workspace.ts). */
function namesWorkspace(body: string): boolean {
  const { access_token } = JSON.parse(body) as { access_token: string };
  const [, payload = ""] = access_token.split(".");
  return "tenant_id" in JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
}

function answer(statusCode: number, body: string): APIGatewayProxyStructuredResultV2 {
  const headers = {
    "content-type": "application/json",
    ...answerHeaders,
    "access-control-allow-origin": "*",
  };
  return { statusCode, headers, body };
}

/** An error in the form of RFC 6749. */
function error(code: string, description: string): string {
  return JSON.stringify({ error: code, error_description: description });
}
