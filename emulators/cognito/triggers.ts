// The pool's triggers: the events that Cognito sends to functions, and its rules for their answers and failures.
import * as z from "zod";
import { problemsOf } from "../aws/input.ts";
import { AwsError } from "../aws/service.ts";
import type { Attributes } from "./people/attributes.ts";
import { allAttributes, type User } from "./people/users.ts";
import type { PoolSettings } from "./settings.ts";
import { type TokenOverrides, tokenOverrides } from "./token-overrides.ts";

/**
 * Calls a function and gives its answer; rejects with the function's own error.
 * @param onStart told when an instance of the function has the event, and how much more time it has on this machine than on Lambda
 */
export type InvokeTrigger = (
  functionArn: string,
  event: TriggerEvent,
  onStart: (pace: number) => void,
) => Promise<unknown>;

export type TriggerEvent = {
  version: "1" | "2";
  triggerSource: string;
  region: string;
  userPoolId: string;
  userName: string;
  callerContext: { awsSdkVersion: string; clientId: string };
  request: Record<string, unknown>;
  response: Record<string, unknown>;
};

export type SignUpSource = "SignUp" | "AdminCreateUser" | "ExternalProvider";
export type ConfirmationSource = "ConfirmSignUp" | "ConfirmForgotPassword";
export type MessageSource = "SignUp" | "ResendCode" | "ForgotPassword" | "AdminCreateUser";
/** Data that a call passes to the triggers that it causes; it is not stored. */
export type ClientMetadata = Record<string, string>;
export type TokenSource = "HostedAuth" | "RefreshTokens";

type TriggersOptions = {
  settings: PoolSettings;
  region: string;
  invoke: InvokeTrigger;
  /**
   * Cognito waits 5 seconds for an answer, in which an instance of the function may also have to start. Here they begin once it has: a
   * laptop is slower at that than Lambda.
   */
  timeoutMs: number;
};

/** Cognito calls a function that does not answer in time three times in all. */
const attempts = 3;

const signUpResponse = z.strictObject({
  autoConfirmUser: z.boolean().nullish(),
  autoVerifyEmail: z.boolean().nullish(),
  autoVerifyPhone: z.boolean().nullish(),
});

/** docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-custom-message.html */
export const codeParameter = "{####}";
export const usernameParameter = "{username}";

/** The lengths are those of templates (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_MessageTemplateType.html). */
const messageResponse = z.strictObject({
  smsMessage: z.string().nullish(),
  emailMessage: z.string().max(20_000).nullish(),
  emailSubject: z.string().max(140).nullish(),
});

const timedOut = Symbol("timed out");

export class Triggers {
  readonly #options: TriggersOptions;

  constructor(options: TriggersOptions) {
    this.#options = options;
  }

  /** Calls the trigger before a new person is stored. */
  async preSignUp(
    source: SignUpSource,
    subject: {
      userName: string;
      attributes: Attributes;
      clientId?: string | undefined;
      metadata?: ClientMetadata | undefined;
    },
  ): Promise<{ confirm: boolean; verifyEmail: boolean }> {
    const { preSignUp } = this.#options.settings.lambdaConfig;
    if (!preSignUp) return { confirm: false, verifyEmail: false };
    const validationData = source === "ExternalProvider" ? {} : null;
    const response = await this.#call(preSignUp, "PreSignUp", signUpResponse, {
      ...this.#common("1", `PreSignUp_${source}`, subject.userName, subject.clientId),
      request: { userAttributes: subject.attributes, validationData, ...given(subject.metadata) },
      response: { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false },
    });
    return { confirm: response.autoConfirmUser === true, verifyEmail: response.autoVerifyEmail === true };
  }

  /** Calls the trigger after someone confirmed an account. It is not called for someone whom an administrator created. */
  async postConfirmation(source: ConfirmationSource, user: User, clientId: string): Promise<void> {
    const { postConfirmation } = this.#options.settings.lambdaConfig;
    if (!postConfirmation || user.createdByAdmin) return;
    await this.#call(postConfirmation, "PostConfirmation", z.strictObject({}), {
      ...this.#common("1", `PostConfirmation_${source}`, user.username, clientId),
      request: { userAttributes: profileOf(user) },
      response: {},
    });
  }

  /**
   * Calls the trigger before a mail, and gives its words; undefined where Cognito's own go out: without a trigger, and if a placeholder
   * is missing (github.com/awsdocs/amazon-cognito-developer-guide/pull/31). A source is AdminCreateUser for a repeat too.
   */
  async customMessage(
    source: MessageSource,
    user: User,
    { clientId, metadata }: { clientId?: string | undefined; metadata?: ClientMetadata | undefined },
  ): Promise<{ subject: string | undefined; html: string } | undefined> {
    const { customMessage } = this.#options.settings.lambdaConfig;
    if (!customMessage) return undefined;
    const response = await this.#call(customMessage, "CustomMessage", messageResponse, {
      ...this.#common("1", `CustomMessage_${source}`, user.username, clientId),
      request: {
        userAttributes: profileOf(user),
        codeParameter,
        linkParameter: "{##Click Here##}",
        usernameParameter: source === "AdminCreateUser" ? usernameParameter : null,
        ...given(metadata),
      },
      response: { smsMessage: null, emailMessage: null, emailSubject: null },
    });
    const html = response.emailMessage ?? "";
    const needed = source === "AdminCreateUser" ? [codeParameter, usernameParameter] : [codeParameter];
    if (!needed.every((placeholder) => html.includes(placeholder))) return undefined;
    return { subject: response.emailSubject ?? undefined, html };
  }

  /** Calls the trigger before a person's tokens are made. */
  async preTokenGeneration(
    source: TokenSource,
    user: User,
    clientId: string,
    scopes: string[],
  ): Promise<TokenOverrides> {
    const config = this.#options.settings.lambdaConfig.preTokenGenerationConfig;
    if (!config) return {};
    const response = await this.#call(config.lambdaArn, "PreTokenGeneration", tokenOverrides, {
      ...this.#common("2", `TokenGeneration_${source}`, user.username, clientId),
      request: {
        userAttributes: profileOf(user),
        scopes,
        groupConfiguration: { groupsToOverride: [], iamRolesToOverride: [], preferredRole: null },
      },
      response: { claimsAndScopeOverrideDetails: null },
    });
    return response.claimsAndScopeOverrideDetails ?? {};
  }

  #common(version: TriggerEvent["version"], triggerSource: string, userName: string, clientId?: string) {
    return {
      version,
      triggerSource,
      region: this.#options.region,
      userPoolId: this.#options.settings.id,
      userName,
      callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId: clientId ?? "CLIENT_ID_NOT_APPLICABLE" },
    };
  }

  /**
   * @throws AwsError UserLambdaValidationException with the function's own message, UnexpectedLambdaException if it times out
   *   three times, InvalidLambdaResponseException if the answer has no known shape.
   */
  async #call<T extends z.ZodType>(arn: string, name: string, schema: T, event: TriggerEvent): Promise<z.output<T>> {
    const answer = await this.#answer(arn, name, event);
    const parsed = z.looseObject({ response: schema }).safeParse(answer);
    if (parsed.success) return parsed.data.response as z.output<T>;
    const message = `${name} gave an unrecognizable lambda output: ${problemsOf(parsed.error).join("; ")}`;
    throw new AwsError("InvalidLambdaResponseException", message);
  }

  async #answer(arn: string, name: string, event: TriggerEvent): Promise<unknown> {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const answer = await this.#attempt(arn, structuredClone(event)).catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        throw new AwsError("UserLambdaValidationException", `${name} failed with error ${message}.`);
      });
      if (answer !== timedOut) return answer;
    }
    const message = `${name} invocation failed due to error Socket timeout while invoking Lambda function.`;
    throw new AwsError("UnexpectedLambdaException", message);
  }

  async #attempt(arn: string, event: TriggerEvent): Promise<unknown> {
    const timer = Promise.withResolvers<typeof timedOut>();
    let timeout: NodeJS.Timeout | undefined;
    const onStart = (pace: number) => {
      timeout = setTimeout(() => timer.resolve(timedOut), this.#options.timeoutMs * pace);
    };
    try {
      return await Promise.race([this.#options.invoke(arn, event, onStart), timer.promise]);
    } finally {
      clearTimeout(timeout);
    }
  }
}

/** The person's attributes as events show them. */
function profileOf(user: User): Attributes {
  return { ...allAttributes(user), "cognito:user_status": user.status };
}

function given(clientMetadata: ClientMetadata | undefined) {
  return clientMetadata && { clientMetadata };
}
