// The errors of the Messages API, as Bedrock's two endpoints of it answer.
import type { AwsError, AwsResponse } from "../aws/service.ts";

export function messagesFailure({ code, status, message }: AwsError): AwsResponse & { body: string } {
  const error = { type: "error", error: { type: errorTypes[code] ?? "api_error", message } };
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(error) };
}

/** The errors of the Messages API by the names that AWS's services share. */
const errorTypes: Record<string, string> = {
  ValidationException: "invalid_request_error",
  AccessDeniedException: "permission_error",
  UnrecognizedClientException: "authentication_error",
  InvalidSignatureException: "authentication_error",
  ExpiredTokenException: "authentication_error",
  MissingAuthenticationTokenException: "authentication_error",
  ResourceNotFoundException: "not_found_error",
  ThrottlingException: "rate_limit_error",
  ServiceQuotaExceededException: "rate_limit_error",
  ModelNotReadyException: "overloaded_error",
  ServiceUnavailableException: "overloaded_error",
  ModelTimeoutException: "timeout_error",
};
