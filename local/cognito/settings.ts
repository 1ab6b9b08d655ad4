// The declared user pool: every input of aws.cognito.UserPool that has behaviour here, and those that need none.
import * as z from "zod";
import { noBehaviour, readDeclared } from "./declared.ts";

const arn = z.string().startsWith("arn:");

const passwordPolicy = z.strictObject({
  minimumLength: z.int().min(6).max(99).default(8),
  requireLowercase: z.boolean().default(false),
  requireUppercase: z.boolean().default(false),
  requireNumbers: z.boolean().default(false),
  requireSymbols: z.boolean().default(false),
  temporaryPasswordValidityDays: z.int().min(0).max(365).default(7),
  passwordHistorySize: z.literal(0).optional(),
});

/** What Cognito applies when a pool declares no policy. */
const defaultPasswordPolicy = {
  minimumLength: 8,
  requireLowercase: true,
  requireUppercase: true,
  requireNumbers: true,
  requireSymbols: true,
  temporaryPasswordValidityDays: 7,
};

const length = z.union([z.string(), z.number()]).transform(Number);

const attributeSchema = z.strictObject({
  name: z.string(),
  attributeDataType: z.enum(["String", "Number", "Boolean", "DateTime"]),
  mutable: z.boolean().default(true),
  required: z.boolean().default(false),
  developerOnlyAttribute: z.literal(false).optional(),
  stringAttributeConstraints: z.strictObject({ minLength: length.optional(), maxLength: length.optional() }).optional(),
});

const lambdaConfig = z.strictObject({
  preSignUp: arn.optional(),
  postConfirmation: arn.optional(),
  preTokenGenerationConfig: z.strictObject({ lambdaArn: arn, lambdaVersion: z.enum(["V2_0", "V3_0"]) }).optional(),
});

const recoveryMechanism = z.strictObject({ name: z.enum(["verified_email", "admin_only"]), priority: z.number() });

const poolInputs = z
  .strictObject({
    id: z.string().regex(/^[\w-]+_[0-9a-zA-Z]+$/),
    name: z.string(),
    userPoolTier: z.enum(["LITE", "ESSENTIALS", "PLUS"]).default("ESSENTIALS"),
    usernameAttributes: z.array(z.literal("email")).default([]),
    usernameConfiguration: z.strictObject({ caseSensitive: z.boolean().default(true) }).optional(),
    autoVerifiedAttributes: z.array(z.literal("email")).default([]),
    passwordPolicy: passwordPolicy.default(defaultPasswordPolicy),
    schemas: z.array(attributeSchema).default([]),
    lambdaConfig: lambdaConfig.default({}),
    accountRecoverySetting: z.strictObject({ recoveryMechanisms: z.array(recoveryMechanism) }).optional(),
    adminCreateUserConfig: z
      .strictObject({
        allowAdminCreateUserOnly: z.boolean().default(false),
        inviteMessageTemplate: z
          .strictObject({
            emailMessage: z.string().optional(),
            emailSubject: z.string().optional(),
            smsMessage: noBehaviour,
          })
          .optional(),
      })
      .optional(),
    verificationMessageTemplate: z
      .strictObject({
        defaultEmailOption: z.literal("CONFIRM_WITH_CODE").optional(),
        emailMessage: z.string().optional(),
        emailSubject: z.string().optional(),
        smsMessage: noBehaviour,
      })
      .optional(),
    mfaConfiguration: z.enum(["OFF", "OPTIONAL"]).default("OFF"),
    softwareTokenMfaConfiguration: z.strictObject({ enabled: z.boolean() }).optional(),
    signInPolicy: z.strictObject({ allowedFirstAuthFactors: z.array(z.literal("PASSWORD")) }).optional(),

    // Mail goes to the stack's mailbox, whatever sends it on AWS.
    emailConfiguration: noBehaviour,
    // Only calls that a signed-in user makes on their own profile look at it, and none of those is emulated.
    userAttributeUpdateSettings: noBehaviour,
    // Of the deployment, not of the pool's behaviour.
    deletionProtection: noBehaviour,
    tags: noBehaviour,
    // Computed by the provider; made here from the region and the id.
    arn: noBehaviour,
    creationDate: noBehaviour,
    customDomain: noBehaviour,
    domain: noBehaviour,
    endpoint: noBehaviour,
    estimatedNumberOfUsers: noBehaviour,
    lastModifiedDate: noBehaviour,
    region: noBehaviour,
    tagsAll: noBehaviour,
  })
  .refine((pool) => pool.userPoolTier !== "LITE" || !pool.lambdaConfig.preTokenGenerationConfig, {
    path: ["lambdaConfig.preTokenGenerationConfig"],
    message: "V2_0 and V3_0 need the tier ESSENTIALS or PLUS",
  })
  .refine((pool) => pool.mfaConfiguration === "OFF" || pool.softwareTokenMfaConfiguration?.enabled, {
    path: ["mfaConfiguration"],
    message: "OPTIONAL needs a second factor, of which software tokens are emulated",
  });

export type PoolSettings = z.output<typeof poolInputs>;
export type PasswordPolicy = PoolSettings["passwordPolicy"];

/** @throws Error that lists every input that is not emulated. */
export function readPool(inputs: unknown): PoolSettings {
  return readDeclared("user pool", poolInputs, inputs);
}

/** Whether people sign in with their e-mail address; their username is then their `sub`. */
export function emailIsUsername(settings: PoolSettings): boolean {
  return settings.usernameAttributes.includes("email");
}

/** How usernames and e-mail addresses are compared. Without a declaration Cognito tells the case apart. */
export function foldCase(settings: PoolSettings, text: string): string {
  return settings.usernameConfiguration?.caseSensitive === false ? text.toLowerCase() : text;
}
