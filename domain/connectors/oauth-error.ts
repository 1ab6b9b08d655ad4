// Refusals of the authorization server: errors of OAuth, which a client gets, and pages, which a person gets.

/** A refusal in the form of RFC 6749 (5.2 and 4.1.2.1), RFC 7009, RFC 7591 and RFC 8707. */
export class OAuthError extends Error {
  override name = "OAuthError";
  readonly code: string;

  constructor(code: string, description: string, cause?: unknown) {
    super(description, { cause });
    this.code = code;
  }
}

/** A refusal that is sent to the client's redirect address, which is known to be the client's. */
export class RedirectedError extends OAuthError {
  readonly redirectUri: string;
  readonly state: string | undefined;

  constructor(to: { redirectUri: string; state: string | undefined }, code: string, description: string) {
    super(code, description);
    this.redirectUri = to.redirectUri;
    this.state = to.state;
  }
}

/** A refusal that only the person in the browser may see: an address that is not known to be the client's gets nothing. */
export class PageRefusal extends Error {
  override name = "PageRefusal";
}

/** The user pool does not answer, or says nothing that can be passed on. */
export class PoolUnavailable extends Error {
  override name = "PoolUnavailable";
}
