// How people sign in to the user pool: by e-mail and password, with a second factor if they want one. The words of its mails come from a trigger.
import type * as aws from "@pulumi/aws";
import { subjectAttribute } from "../../domain/people/first-sign-in.ts";
import { invitationDays } from "../../domain/people/invitation-mail.ts";
import type { StackConfig } from "../config.ts";

/** The user pool: its passwords, attributes, sender and second factor. */
export function signInSettings(config: StackConfig) {
  return {
    userPoolTier: "ESSENTIALS",
    usernameAttributes: ["email"],
    usernameConfiguration: { caseSensitive: false },
    autoVerifiedAttributes: ["email"],
    // A code by mail would be no second factor here: the same mailbox resets the password, and Cognito takes e-mail for one of the two
    // only (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateUserPool.html: AccountRecoverySetting).
    mfaConfiguration: "OPTIONAL",
    softwareTokenMfaConfiguration: { enabled: true },
    // People can change their own account (app-client.ts). Invitations and the platform's role depend on verified addresses, so
    // nobody gets another's address that way.
    userAttributeUpdateSettings: { attributesRequireVerificationBeforeUpdates: ["email"] },
    // Added in place, and never taken away again. Mutable, as all attributes of an account must be that is linked
    // (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminLinkProviderForUser.html).
    schemas: [
      {
        name: subjectAttribute,
        attributeDataType: "String",
        mutable: true,
        stringAttributeConstraints: { minLength: "0", maxLength: "2048" },
      },
    ],
    accountRecoverySetting: { recoveryMechanisms: [{ name: "verified_email", priority: 1 }] },
    passwordPolicy: {
      minimumLength: 12,
      requireLowercase: true,
      requireUppercase: true,
      requireNumbers: true,
      requireSymbols: false,
      temporaryPasswordValidityDays: invitationDays,
    },
    adminCreateUserConfig: { allowAdminCreateUserOnly: false },
    emailConfiguration: mailSender(config),
  } satisfies aws.cognito.UserPoolArgs;
}

/** Cognito's own sender stops at 50 mails a day (docs.aws.amazon.com/cognito/latest/developerguide/quotas.html). */
function mailSender({ mail }: StackConfig): aws.types.input.cognito.UserPoolEmailConfiguration {
  if (!mail) return { emailSendingAccount: "COGNITO_DEFAULT" };
  return { emailSendingAccount: "DEVELOPER", fromEmailAddress: mail.from, sourceArn: mail.identityArn };
}
