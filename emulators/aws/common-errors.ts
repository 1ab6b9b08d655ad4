// The refusals that every AWS service shares, in the words of its protocol.
import { AwsError, type AwsRequest, type AwsResponse, jsonFailure } from "./service.ts";

export type AuthProblem = "unknown key" | "bad signature" | "expired" | "unsigned" | "denied";

const messages: Record<AuthProblem, string> = {
  "unknown key": "The security token included in the request is invalid.",
  "bad signature":
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.",
  expired: "The security token included in the request is expired",
  unsigned: "Missing Authentication Token",
  denied: "Access Denied",
};

const jsonCodes: Record<AuthProblem, string> = {
  "unknown key": "UnrecognizedClientException",
  "bad signature": "InvalidSignatureException",
  expired: "ExpiredTokenException",
  unsigned: "MissingAuthenticationTokenException",
  denied: "AccessDeniedException",
};

const s3Codes: Record<AuthProblem, string> = {
  "unknown key": "InvalidAccessKeyId",
  "bad signature": "SignatureDoesNotMatch",
  expired: "ExpiredToken",
  unsigned: "AccessDenied",
  denied: "AccessDenied",
};

const queryCodes: Record<AuthProblem, string> = {
  "unknown key": "InvalidClientTokenId",
  "bad signature": "SignatureDoesNotMatch",
  expired: "ExpiredToken",
  unsigned: "MissingAuthenticationToken",
  denied: "AccessDenied",
};

/** The services whose codes are not those of the JSON protocols. */
const codesOf: Record<string, Record<AuthProblem, string>> = { sts: queryCodes, s3: s3Codes };

/** The error for `problem` in the words of `service`: 403, or 400 for a denial by a service that is called by x-amz-target. */
export function authError(
  problem: AuthProblem,
  service: string,
  request: Pick<AwsRequest, "headers">,
  message = messages[problem],
): AwsError {
  const byTarget = request.headers["x-amz-target"] !== undefined;
  return new AwsError((codesOf[service] ?? jsonCodes)[problem], message, problem === "denied" && byTarget ? 400 : 403);
}

/** Whether an error of the endpoint or of a service is a denial. */
export function isDenial(error: AwsError): boolean {
  return error.code === jsonCodes.denied || error.code === queryCodes.denied;
}

/** A refusal of a call whose service is not known: in JSON, or in XML for a caller that sent a form. */
export function failureWithoutService(error: AwsError, headers: AwsRequest["headers"]): AwsResponse {
  if (String(headers["content-type"]).startsWith("application/x-www-form-urlencoded")) {
    const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${error.code}</Code><Message>${escaped(error.message)}</Message></Error></ErrorResponse>`;
    return { status: error.status, headers: { "content-type": "text/xml" }, body };
  }
  const failure = jsonFailure(error, "1.1");
  return { ...failure, headers: { ...failure.headers, "x-amzn-errortype": error.code } };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
