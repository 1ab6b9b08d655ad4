// The interface of an emulated AWS service. It names the rights that a call needs, and carries the call out.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

/** The principal that signed a call, known by its access key. */
export type Principal = {
  /** The role's ARN, e.g. `arn:aws:iam::000000000000:role/orders-dev-writer`. */
  roleArn: string;
  /** The last part of the session's ARN: a function's instance, or the RoleSessionName. */
  sessionName: string;
  /** Session tags, as given to AssumeRole. */
  sessionTags: Record<string, string>;
  /** The function with these credentials, or with the credentials that assumed the role. */
  functionName?: string;
};

export type AwsRequest = {
  method: string;
  /** The path as sent, still percent-encoded. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The region of the signature's scope. */
  region: string;
  /** Undefined for the few calls that need no signature. */
  principal: Principal | undefined;
};

export type AwsResponse = {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | Readable;
};

/** A right that a call needs. The endpoint asks IAM for each right before `handle`. */
export type Authorization = {
  /** e.g. `dynamodb:PutItem` */
  action: string;
  /** An ARN, or `*` for an action that knows no resource. */
  resource: string;
  /** Condition keys and their values, e.g. `dynamodb:LeadingKeys`. */
  context?: Record<string, string | string[]>;
};

/** A refusal in AWS's words. Each service writes it in its own protocol. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  /** Further members of the error's body, e.g. `Item` or `CancellationReasons`. */
  readonly members: Record<string, unknown>;

  constructor(code: string, message: string, status = 400, members: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.members = members;
  }
}

export interface AwsService {
  /** The service's name in the scope of signatures, e.g. `dynamodb`, `sts`, `bedrock`. */
  readonly signingName: string;
  /** The operation's name, e.g. `PutItem`. @throws AwsError for an unknown operation. */
  operation(request: AwsRequest): string;
  /** Every right that this call needs. */
  authorizations(operation: string, request: AwsRequest): Authorization[];
  /** Carries the call out. @throws AwsError to refuse. */
  handle(operation: string, request: AwsRequest): Promise<AwsResponse>;
  /** The error in this service's protocol. */
  failure(error: AwsError): AwsResponse;
}

/** An answer of the AWS JSON protocols (1.0: DynamoDB, SQS; 1.1: KMS, Secrets Manager, Logs, Cognito). */
export function jsonAnswer(body: unknown, version: "1.0" | "1.1", status = 200): AwsResponse {
  return { status, headers: { "content-type": `application/x-amz-json-${version}` }, body: JSON.stringify(body) };
}

/** An error of the AWS JSON protocols. */
export function jsonFailure(error: AwsError, version: "1.0" | "1.1"): AwsResponse {
  return jsonAnswer({ __type: error.code, message: error.message, ...error.members }, version, error.status);
}

/** The object that a body holds. @throws AwsError SerializationException */
export function jsonBody({ body }: Pick<AwsRequest, "body">): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Text that is no JSON is refused like any other value that is no object.
  }
  throw new AwsError("SerializationException", "The body is not a JSON object.");
}

/** The operation's name out of `x-amz-target`. */
export function targetOperation(request: AwsRequest): string {
  const target = String(request.headers["x-amz-target"] ?? "");
  const operation = target.split(".").at(-1);
  if (!operation) throw new AwsError("UnknownOperationException", "x-amz-target is missing");
  return operation;
}
