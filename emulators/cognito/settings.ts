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
});

const length = z.union([z.string(), z.number()]).transform(Number);

const attributeSchema = z.strictObject({
  name: z.string(),
  attributeDataType: z.literal("String"),
  mutable: z.literal(true).default(true),
  required: z.literal(false).optional(),
  stringAttributeConstraints: z.strictObject({ minLength: length.optional(), maxLength: length.optional() }).optional(),
});

const lambdaConfig = z.strictObject({
  preSignUp: arn.optional(),
  postConfirmation: arn.optional(),
  customMessage: arn.optional(),
  preTokenGenerationConfig: z.strictObject({ lambdaArn: arn, lambdaVersion: z.literal("V2_0") }).optional(),
});

const poolInputs = z
  .strictObject({
    id: z.string().regex(/^[\w-]+_[0-9a-zA-Z]+$/),
    name: z.string(),
    userPoolTier: z.enum(["ESSENTIALS", "PLUS"]).default("ESSENTIALS"),
    // People sign in with their e-mail address in any case. No other kind of username is emulated.
    usernameAttributes: z.tuple([z.literal("email")]),
    usernameConfiguration: z.strictObject({ caseSensitive: z.literal(false) }),
    autoVerifiedAttributes: z.tuple([z.literal("email")]),
    passwordPolicy,
    schemas: z.array(attributeSchema).default([]),
    lambdaConfig: lambdaConfig.default({}),
    accountRecoverySetting: z
      .strictObject({
        recoveryMechanisms: z.array(z.strictObject({ name: z.literal("verified_email"), priority: z.number() })),
      })
      .optional(),
    adminCreateUserConfig: z
      .strictObject({
        allowAdminCreateUserOnly: z.literal(false).optional(),
        inviteMessageTemplate: z.strictObject({ emailMessage: z.string(), emailSubject: z.string() }).optional(),
      })
      .optional(),
    mfaConfiguration: z.enum(["OFF", "OPTIONAL"]).default("OFF"),
    softwareTokenMfaConfiguration: z.strictObject({ enabled: z.boolean() }).optional(),

    // Mail goes to the stack's mailbox, whatever sends it on AWS.
    emailConfiguration: noBehaviour,
    // The setting concerns only the call UpdateUserAttributes, which is not emulated.
    userAttributeUpdateSettings: noBehaviour,
    // This setting and the next one concern the deployment, not the pool's behaviour.
    deletionProtection: noBehaviour,
    tags: noBehaviour,
    // The provider computes these; the pool makes its own from the region and the id.
    arn: noBehaviour,
    endpoint: noBehaviour,
    region: noBehaviour,
    tagsAll: noBehaviour,
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
