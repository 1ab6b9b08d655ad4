// Translates the model host's exceptions, by the names that AWS's SDK knows.
import type * as sdk from "@aws-sdk/client-bedrock-runtime";
import { ModelHostError, type ModelHostFailure, type RefusedPart } from "../../domain/messages/model-host.ts";
import { UnsentError } from "../aws.ts";
import { redacted } from "../redaction.ts";

/** An exception that a later SDK adds does not compile until the table below has it. */
type ServiceException = Exclude<Extract<keyof typeof sdk, `${string}Exception`>, "BedrockRuntimeServiceException">;

const ofService: Record<ServiceException, ModelHostFailure> = {
  ValidationException: "rejected",
  AccessDeniedException: "denied",
  ResourceNotFoundException: "denied",
  ThrottlingException: "throttled",
  ServiceQuotaExceededException: "throttled",
  ModelNotReadyException: "unavailable",
  ServiceUnavailableException: "unavailable",
  ModelTimeoutException: "timeout",
  ModelErrorException: "broken",
  ModelStreamErrorException: "broken",
  InternalServerException: "broken",
  ConflictException: "broken",
};

/** Failures by the exception's name, since exceptions inside a stream carry no status. */
const failures: Readonly<Record<string, ModelHostFailure>> = {
  ...ofService,
  // Exceptions of any service of AWS, STS included.
  AccessDenied: "denied",
  UnrecognizedClientException: "denied",
  ExpiredTokenException: "denied",
};

/**
 * The host's words for a model that it has ended, and for one that it is about to end and this account has not used for weeks
 * (aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws#708, awslabs/llmeter#35). The same exception
 * without them says that the account lacks something.
 */
const retired = /\breached the end of its life\b|\bmarked by provider as Legacy\b/i;

/** Failures by status, for an answer without a known name, such as one of a proxy in front of the model host. */
const byStatus: Record<number, ModelHostFailure> = { 429: "throttled", 503: "unavailable" };

/** The failure of a call that got no credentials: the model host was not asked. */
export function withoutSession(error: Error): ModelHostError {
  return new ModelHostError(failures[error.name] ?? "unavailable", error.message, { cause: error });
}

/** @param status undefined for an exception inside a stream */
export function exceptionNamed(name: string, message: string, status: number | undefined): ModelHostError {
  const failure =
    failureNamed(name.charAt(0).toUpperCase() + name.slice(1), message) ?? byStatus[status ?? 0] ?? "broken";
  // A message of the model itself may quote the prompt, and this one would go to the log.
  const told = failure === "broken" ? "The model host failed" : redacted(message);
  const cause = new Error(`${name || "no name"} (status ${status ?? "in the stream"})`);
  if (failure === "rejected") return rejection(told, cause);
  return new ModelHostError(failure, told, { cause, lacksRoom: failure === "throttled" || failure === "unavailable" });
}

/**
 * Bedrock's own words for a signature that is missing or empty (can1357/oh-my-pi#10486). The vendor's words are said before them, by which
 * clients leave out the block and try again. A field that the host does not know is another case.
 */
const refusedSignature =
  /\b(messages\.\d+\.content\.\d+)\.(?:redacted_)?thinking\.(?:signature|data): (?!Extra inputs).+$/;

/** @param told what the host says against the request, without what names the account */
export function rejection(told: string, cause?: Error): ModelHostError {
  const words = told.replace(
    refusedSignature,
    (all, block) => `${block}: Invalid \`signature\` in \`thinking\` block (${all})`,
  );
  return new ModelHostError("rejected", words, { cause, refusedPart: refusedPartIn(words) });
}

/**
 * The words of the model's own API, and those of Bedrock's check before it (BerriAI/litellm#7416), each as a whole refusal: a caller's own words,
 * which a refusal may quote, are never taken for the host's. More refusals may follow the first, one in each line or after a comma.
 */
const extraInput = /^([^\s:,'"]+): Extra inputs are not permitted\.?$/;
const extraneousKey = /^(?:Malformed input request: )?#([^\s:,'"]*): extraneous key \[([^\s\],]+)\] is not permitted$/;
const boundThinking = /: Invalid `signature` in `thinking` block\. The block is bound to a different conversation\./;
const before = /^The model returned the following errors: /;
const after = /, please reformat your input and try again\.$/;

function refusedPartIn(words: string): RefusedPart | undefined {
  if (/\binvalid beta flag\b/i.test(words)) return "flags";
  if (boundThinking.test(words)) return "thinking";
  const refusals = words
    .replace(before, "")
    .replace(after, "")
    .split(/[\n,;]\s*/);
  const fields = refusals.map((refusal) => extraInput.exec(refusal)?.[1] ?? pathOfKey(refusal));
  const named = fields.filter((field) => field !== undefined);
  return named.length === fields.length ? { fields: named } : undefined;
}

/** The path of a key that is named after the place of what holds it: `#/tools/0`. */
function pathOfKey(refusal: string): string | undefined {
  const [, place = "", key] = extraneousKey.exec(refusal) ?? [];
  return key && [...place.split("/").filter((step) => step !== ""), key].join(".");
}

function failureNamed(name: string, message: string): ModelHostFailure | undefined {
  return name === "ResourceNotFoundException" && retired.test(message) ? "retired" : failures[name];
}

/** The message in the body of an exception; empty if there is none. */
export function messageIn(text: string): string {
  try {
    const { message, Message } = JSON.parse(text) as { message?: unknown; Message?: unknown };
    return String(message ?? Message ?? "");
  } catch {
    return "";
  }
}

/** Translates errors of the connection, and of the signal that ends the call. @throws ModelHostError */
export function throwConnectionFailure(error: unknown): never {
  if (error instanceof ModelHostError) throw error;
  const { name, message } = error as Error;
  if (error instanceof UnsentError) throw new ModelHostError("unavailable", message, { cause: error });
  const late = name === "TimeoutError" || name === "AbortError";
  // The message of a SyntaxError quotes what could not be parsed.
  const told = name === "SyntaxError" ? "The model host sent what is not JSON" : message;
  throw new ModelHostError(late ? "timeout" : "broken", told, { cause: error, outcomeUnknown: true });
}
