// Sends the platform's own mails by SES. The SDK's client is a chunk of its own, loaded with the first mail.
import type { SESv2Client } from "@aws-sdk/client-sesv2";
import { type Mailer, plainMail } from "../domain/mail.ts";
import { agents } from "./connections.ts";

/** As a function's environment has it. */
export type MailSender = {
  /** `no-reply@example.com` or `Example <no-reply@example.com>`. */
  MAIL_FROM?: string | undefined;
  /** The verified identity that sends, in its own region. */
  MAIL_IDENTITY_ARN?: string | undefined;
};

/** Each of the SDK's three attempts. Without them a service that is silent would hold a call to the function's end. */
const timeouts = { connectionTimeout: 1_000, requestTimeout: 3_000 };

/**
 * Without a sender nothing is ever sent.
 * @param newClient made once, with the first mail, for the identity's region
 */
export function mailer(
  { MAIL_FROM: from, MAIL_IDENTITY_ARN: identityArn }: MailSender,
  newClient: (region: string) => Promise<SESv2Client> = regionsClient,
): Mailer {
  if (from === undefined || identityArn === undefined) return { send: async () => "none" };
  const region = identityArn.split(":")[3] ?? "";
  let made: Promise<SESv2Client> | undefined;

  return {
    async send(mail) {
      const { to, subject, text } = plainMail(mail);
      made ??= newClient(region);
      const { SendEmailCommand } = await import("@aws-sdk/client-sesv2");
      const command = new SendEmailCommand({
        FromEmailAddress: from,
        // Of several identities that could send for the address, the one that the role may use.
        FromEmailAddressIdentityArn: identityArn,
        Destination: { ToAddresses: [to] },
        Content: {
          Simple: {
            Subject: { Data: subject, Charset: "UTF-8" },
            Body: { Text: { Data: text, Charset: "UTF-8" } },
          },
        },
      });
      await (await made).send(command);
      return "sent";
    },
  };
}

async function regionsClient(region: string): Promise<SESv2Client> {
  const { SESv2Client } = await import("@aws-sdk/client-sesv2");
  return new SESv2Client({ region, requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true } });
}
