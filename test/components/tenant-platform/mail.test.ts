import { describe, expect, test } from "@jest/globals";
import { mailEnvironment } from "../../../components/tenant-platform/mail.ts";

const identityArn = "arn:aws:ses:eu-central-1:000000000000:identity/archway.example";

const platform = { brand: "Acme AI", domain: "acme.example" };

describe("a function that mails", () => {
  test.each(["no-reply@archway.example", "Archway <no-reply@archway.example>"])(
    "a function that mails may send only with the stack's identity, from its address: %s",
    (from) => {
      const { MAIL_FROM, MAIL_IDENTITY_ARN } = mailEnvironment({ ...platform, mail: { from, identityArn } });
      expect(MAIL_FROM).toBe(from);
      expect(MAIL_IDENTITY_ARN?.value).toBe(identityArn);
      expect(MAIL_IDENTITY_ARN?.allow).toEqual([
        {
          actions: ["ses:SendEmail"],
          resources: [identityArn],
          conditions: { StringEquals: { "ses:FromAddress": "no-reply@archway.example" } },
        },
      ]);
    },
  );

  test("a function that mails knows only the platform's name if the stack has no sender", () => {
    expect(mailEnvironment({ ...platform, mail: undefined })).toEqual({
      BRAND: "Acme AI",
      CONSOLE_URL: "https://console.acme.example",
    });
  });
});
