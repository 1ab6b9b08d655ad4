// The errors of the Messages API, as Bedrock's two endpoints of it answer.
import type { ModelHostError } from "../../domain/messages/model-host.ts";
import { exceptionNamed } from "./failures.ts";

/** The Messages API's errors by the names of AWS's exceptions that mean the same. */
const exceptions: Record<string, string> = {
  invalid_request_error: "ValidationException",
  request_too_large: "ValidationException",
  authentication_error: "AccessDeniedException",
  permission_error: "AccessDeniedException",
  billing_error: "AccessDeniedException",
  not_found_error: "ResourceNotFoundException",
  rate_limit_error: "ThrottlingException",
  overloaded_error: "ServiceUnavailableException",
  timeout_error: "ModelTimeoutException",
  api_error: "InternalServerException",
};

/** AWS's own exception, which an operation that the endpoint lacks is answered with at status 200. */
type AwsException = { __type?: unknown; message?: unknown; Output?: { __type?: unknown; message?: unknown } };

/** @param status undefined for an error inside a stream */
export function messagesError(text: string, status: number | undefined): ModelHostError {
  const { error, ...aws } = parsed(text);
  if (error)
    return exceptionNamed(exceptions[String(error.type)] ?? String(error.type), String(error.message ?? ""), status);
  const { __type: name, message } = aws.Output ?? aws;
  // A proxy in front of the endpoint may answer in another form; the status decides then.
  return exceptionNamed(
    String(name ?? "")
      .split("#")
      .at(-1) ?? "",
    String(message ?? ""),
    status,
  );
}

function parsed(text: string): AwsException & { error?: { type?: unknown; message?: unknown } } {
  try {
    return (JSON.parse(text) as AwsException | null) ?? {};
  } catch {
    return {};
  }
}
