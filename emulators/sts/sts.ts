// The Security Token Service: AssumeRole with the rights, the trust and the limits that AWS asks for.
import { authError } from "../aws/common-errors.ts";
import type { Credentials } from "../aws/credentials.ts";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  type Principal,
} from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Iam } from "../iam/iam.ts";
import { type Context, sessionArn } from "../iam/requesting-principal.ts";
import { type AssumeRoleInput, assumeRoleInput, formOf } from "./assume-role-input.ts";

/** Every caller here is itself a role's session, and AWS gives a session that assumes a role one hour at most. */
const maxChainedSeconds = 3600;

export class Sts implements AwsService {
  readonly signingName = "sts";
  readonly #iam: Iam;
  readonly #credentials: Credentials;
  readonly #clock: Clock;

  constructor({ iam, credentials, clock }: { iam: Iam; credentials: Credentials; clock: Clock }) {
    this.#iam = iam;
    this.#credentials = credentials;
    this.#clock = clock;
  }

  operation(request: AwsRequest): string {
    const action = formOf(request).get("Action") ?? "";
    if (action === "AssumeRole") return action;
    throw new AwsError("InvalidAction", `The local stack's STS does not know the action ${JSON.stringify(action)}`);
  }

  authorizations(_operation: string, request: AwsRequest): Authorization[] {
    const input = assumeRoleInput(request);
    return rightsOf(input).map(({ action, context }) => ({ action, resource: input.roleArn, context }));
  }

  async handle(operation: string, request: AwsRequest): Promise<AwsResponse> {
    const { principal } = request;
    if (!principal) throw authError("unsigned", "sts", request);
    const result = await this.#assumeRole(request, principal);
    return xmlAnswer(
      200,
      `<${operation}Response xmlns="${namespace}">${xml({ [`${operation}Result`]: result })}</${operation}Response>`,
    );
  }

  failure(error: AwsError): AwsResponse {
    const type = error.status >= 500 ? "Receiver" : "Sender";
    const body = xml({ Error: { Type: type, Code: error.code, Message: error.message } });
    return xmlAnswer(error.status, `<ErrorResponse xmlns="${namespace}">${body}</ErrorResponse>`);
  }

  async #assumeRole(request: AwsRequest, caller: Principal): Promise<Xml> {
    const input = assumeRoleInput(request);
    for (const { action, context } of rightsOf(input)) {
      const { allowed, reason } = await this.#iam.decideTrust(input.roleArn, caller, action, context);
      if (!allowed) throw authError("denied", "sts", request, reason);
    }
    const role = this.#iam.roles.get(input.roleArn);
    if (!role) throw new Error(`${input.roleArn} trusts, but is not declared`);
    refuseTooLong(input.durationSeconds, role.maxSessionSeconds);
    const expiresAt = this.#clock.now() + input.durationSeconds * 1000;
    const keys = this.#credentials.issue(
      {
        roleArn: role.arn,
        sessionName: input.sessionName,
        sessionTags: input.tags,
        ...(caller.functionName !== undefined && { functionName: caller.functionName }),
      },
      expiresAt,
    );
    return {
      Credentials: {
        AccessKeyId: keys.accessKeyId,
        SecretAccessKey: keys.secretAccessKey,
        SessionToken: keys.sessionToken,
        Expiration: new Date(expiresAt).toISOString(),
      },
      AssumedRoleUser: {
        AssumedRoleId: `${role.id}:${input.sessionName}`,
        Arn: sessionArn(role, input.sessionName),
      },
    };
  }
}

/**
 * The rights that AssumeRole needs by the caller's policies and by the role's trust alike. The keys of each action are those of
 * AWS's service authorization reference, so a trust statement that grants TagSession cannot ask for sts:RoleSessionName.
 */
function rightsOf(input: AssumeRoleInput): { action: string; context: Context }[] {
  const tagKeys = Object.keys(input.tags);
  const tags: Context = Object.fromEntries(tagKeys.map((key) => [`aws:RequestTag/${key}`, input.tags[key] ?? ""]));
  if (tagKeys.length > 0) tags["aws:TagKeys"] = tagKeys;
  const session: Context = { ...tags, "sts:RoleSessionName": input.sessionName };
  const assume = { action: "sts:AssumeRole", context: session };
  return tagKeys.length > 0 ? [assume, { action: "sts:TagSession", context: tags }] : [assume];
}

function refuseTooLong(seconds: number, roleMaximum: number): void {
  if (seconds > roleMaximum) {
    throw invalid("The requested DurationSeconds exceeds the MaxSessionDuration set for this role.");
  }
  if (seconds > maxChainedSeconds) {
    throw invalid("The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining");
  }
}

function invalid(message: string): AwsError {
  return new AwsError("ValidationError", message);
}

const namespace = "https://sts.amazonaws.com/doc/2011-06-15/";

type Xml = { [element: string]: string | Xml };

function xml(elements: Xml): string {
  const parts = Object.entries(elements).map(([name, value]) => {
    const inside = typeof value === "string" ? value.replaceAll("&", "&amp;").replaceAll("<", "&lt;") : xml(value);
    return `<${name}>${inside}</${name}>`;
  });
  return parts.join("");
}

function xmlAnswer(status: number, body: string): AwsResponse {
  return { status, headers: { "content-type": "text/xml" }, body };
}
