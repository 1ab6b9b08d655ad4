// Registration of MCP clients (RFC 7591) without storage: the id that a client gets is its registration, sealed (A.5.2 of the RFC).
import * as z from "zod";
import { displayedName } from "./displayed-name.ts";
import { OAuthError } from "./oauth-error.ts";
import { redirectProblem } from "./redirect-address.ts";
import type { Sealing } from "./sealed.ts";

const mostRedirects = 8;

const registrationSchema = z.object({
  redirect_uris: z.array(z.string()),
  client_name: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

export type Registration = {
  client_id: string;
  client_id_issued_at: number;
  client_name?: string;
  redirect_uris: string[];
  token_endpoint_auth_method: "none";
  grant_types: string[];
  response_types: string[];
};

/** @param now in milliseconds @throws OAuthError invalid_redirect_uri or invalid_client_metadata */
export async function registerClient(
  sealing: Pick<Sealing, "seal">,
  body: unknown,
  now: number,
): Promise<Registration> {
  const parsed = registrationSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const code = issue?.path[0] === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new OAuthError(code, `${issue?.path.join(".") || "The body"}: ${issue?.message}`);
  }
  const { redirect_uris: redirectUris, client_name, grant_types: grants, response_types: responses } = parsed.data;
  if (redirectUris.length === 0 || redirectUris.length > mostRedirects) {
    throw new OAuthError("invalid_redirect_uri", `redirect_uris must have 1 to ${mostRedirects} addresses`);
  }
  for (const redirect of redirectUris) {
    const problem = redirectProblem(redirect);
    if (problem !== undefined) throw new OAuthError("invalid_redirect_uri", `${plain(redirect)} ${problem}`);
  }
  if (grants && !grants.includes("authorization_code")) {
    throw new OAuthError("invalid_client_metadata", "grant_types must have authorization_code");
  }
  if (responses && !responses.includes("code")) {
    throw new OAuthError("invalid_client_metadata", "response_types must have code");
  }
  const name = displayedName(client_name);
  const at = Math.floor(now / 1_000);
  const clientId = await sealing.seal("client", {
    ...(name !== undefined && { name }),
    redirect_uris: redirectUris,
    at,
  });
  return {
    client_id: clientId,
    client_id_issued_at: at,
    ...(name !== undefined && { client_name: name }),
    redirect_uris: redirectUris,
    // A client that asks for a secret learns here that it gets none (RFC 7591, 3.2.1: the server may replace values).
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

/** The beginning of what somebody sent, so that an error can be read. */
function plain(text: string): string {
  return text.slice(0, 100).replace(/[^ -~]/g, "?");
}
