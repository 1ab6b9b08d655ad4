// Why an upstream could not be asked, in words for the people who registered it. Nothing that the upstream wrote is repeated.

const messages = {
  address_not_public: "The address leads to a network that is not the public internet",
  unreachable: "No connection came about: the name is unknown, or nobody answers there",
  certificate_refused: "The server's certificate is not valid for this address",
  redirected: "The server answers with a redirect; give the address that it leads to",
  too_slow: "The server did not answer in time",
  too_large: "The server's answer is larger than the platform reads",
  credential_refused: "The server refuses the credential",
  credential_forbidden: "The server does not let this credential do what was asked (403)",
  credential_missing: "The server wants a credential: use auth bearer or api_key",
  credential_untried:
    "The credential was not tried: no operation of the document reads without an argument. Call a tool to try it",
  credential_unproven: "The API answers the trial with an error that does not say whether it takes the credential",
  oauth_required:
    "The server wants a sign-in by OAuth, which custom integrations cannot do; auth bearer takes a token that lasts",
  not_mcp: "The server answers, but not as an MCP server: the address may be wrong",
  upstream_failed: "The server answers with an error of its own",
  runtime_missing: "The integration's server does not run yet, or did not start with its settings",
  settings_undeclared: "The integration's server has settings that its provider does not take: a PUT leaves them out",
  spec_missing: "The integration's OpenAPI document is gone: send it anew with PUT",
} as const;

export const failureReasons = Object.keys(messages) as [FailureReason, ...FailureReason[]];
export type FailureReason = keyof typeof messages;

export class UpstreamFailure extends Error {
  override name = "UpstreamFailure";
  readonly reason: FailureReason;

  constructor(reason: FailureReason, cause?: unknown) {
    super(messages[reason], { cause });
    this.reason = reason;
  }
}

/**
 * Translates an answer that is no success; undefined for one that says nothing about access.
 * @param challenge the header `www-authenticate`
 */
export function refusalOfAnswer(
  status: number,
  challenge: string | null,
  hasCredential: boolean,
): UpstreamFailure | undefined {
  if (status === 401 || status === 403) {
    if (hasCredential) return new UpstreamFailure(status === 401 ? "credential_refused" : "credential_forbidden");
    // RFC 9728, section 5.1: a resource that wants OAuth names its metadata.
    const wantsOAuth = /\bresource_metadata\s*=/i.test(challenge ?? "");
    return new UpstreamFailure(wantsOAuth ? "oauth_required" : "credential_missing");
  }
  if (status >= 500) return new UpstreamFailure("upstream_failed");
  return undefined;
}
