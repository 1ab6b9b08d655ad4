import { expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { signInSettings } from "../../../components/identity/user-pool.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";

const config = stackConfig(await readStackConfig(localStackFile));
const settings = signInSettings(config);

test("the pool signs people in by their e-mail address, whatever its case", () => {
  expect(settings).toMatchObject({
    userPoolTier: "ESSENTIALS",
    usernameAttributes: ["email"],
    usernameConfiguration: { caseSensitive: false },
    autoVerifiedAttributes: ["email"],
  });
});

test("a mailed password is valid for as long as the invitation says", () => {
  expect(settings.passwordPolicy.temporaryPasswordValidityDays).toBe(7);
  expect(settings.adminCreateUserConfig).toEqual({ allowAdminCreateUserOnly: false });
});

test("the user pool supports an authenticator app as a second factor, and resets passwords only by verified e-mail", () => {
  expect(settings).toMatchObject({
    mfaConfiguration: "OPTIONAL",
    softwareTokenMfaConfiguration: { enabled: true },
    accountRecoverySetting: { recoveryMechanisms: [{ name: "verified_email", priority: 1 }] },
  });
  expect(settings).not.toHaveProperty("smsConfiguration");
  // Cognito takes e-mail for one of the two only, and a mailbox that resets the password is no second factor.
  expect(settings).not.toHaveProperty("emailMfaConfiguration");
});

test("the user pool keeps an e-mail address until the new one is verified", () => {
  expect(settings.userAttributeUpdateSettings).toEqual({ attributesRequireVerificationBeforeUpdates: ["email"] });
});

test("mail is sent by Cognito itself unless the stack configures a sender", () => {
  const { mail: _, ...without } = config;
  expect(signInSettings(without).emailConfiguration).toEqual({ emailSendingAccount: "COGNITO_DEFAULT" });
});

test("mail is sent through SES with the stack's sender", () => {
  const identityArn = "arn:aws:ses:eu-central-1:000000000000:identity/archway.example";
  const mail = { from: "Archway <no-reply@archway.example>", identityArn };
  expect(signInSettings({ ...config, mail }).emailConfiguration).toEqual({
    emailSendingAccount: "DEVELOPER",
    fromEmailAddress: "Archway <no-reply@archway.example>",
    sourceArn: identityArn,
  });
});

test("the user pool has an attribute for a provider's subject, which can be written when identities are linked", () => {
  expect(settings.schemas).toEqual([
    {
      name: "subject",
      attributeDataType: "String",
      mutable: true,
      stringAttributeConstraints: { minLength: "0", maxLength: "2048" },
    },
  ]);
});
