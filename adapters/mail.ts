// Sends the platform's own mails by SES. The SDK's client is a chunk of its own, loaded with the first mail.
import type { SESv2Client } from "@aws-sdk/client-sesv2";
import { type Mailer, MailUncertain, plainMail } from "../domain/kernel/mail.ts";
import { agents } from "./connections.ts";

/** The sender as a function's environment names it. */
export type MailSender = {
  /** `no-reply@example.com` or `Example <no-reply@example.com>`. */
  MAIL_FROM?: string | undefined;
  /** The verified identity that sends, in its own region. */
  MAIL_IDENTITY_ARN?: string | undefined;
};

/** A mail has no idempotency key, so this adapter never repeats a call. */
const attempts = { maxAttempts: 1 };
const timeouts = { connectionTimeout: 1_000, requestTimeout: 5_000 };

/** Codes of errors before there was a connection: the mail was not sent. */
const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"];
/** The one server error that says that nothing was sent. Another 5xx may come after the mail went out. */
const unavailableStatus = 503;

/**
 * Without a sender nothing is ever sent.
 * @param newClient made once, with the first mail, for the identity's region
 */
export function mailer(
  { MAIL_FROM: from, MAIL_IDENTITY_ARN: identityArn }: MailSender,
  newClient: (region: string) => Promise<SESv2Client> = sesClient(),
): Mailer {
  if (from === undefined || identityArn === undefined) return { send: async () => "none" };
  const region = identityArn.split(":")[3] ?? "";
  let made: Promise<SESv2Client> | undefined;

  return {
    async send(mail) {
      const { to, subject, text, html } = plainMail(mail);
      made ??= newClient(region);
      const { SendEmailCommand } = await import("@aws-sdk/client-sesv2");
      const command = new SendEmailCommand({
        FromEmailAddress: from,
        // Several identities could send for the address; the role may use this one.
        FromEmailAddressIdentityArn: identityArn,
        Destination: { ToAddresses: [to].flat() },
        Content: {
          Simple: {
            Subject: { Data: subject, Charset: "UTF-8" },
            Body: { Text: { Data: text, Charset: "UTF-8" }, Html: { Data: html, Charset: "UTF-8" } },
          },
        },
      });
      const client = await made;
      await client.send(command).catch((error) => {
        throw isRefused(error) ? error : new MailUncertain(error);
      });
      return "sent";
    },
  };
}

/** Whether the service has said no, or was never asked. */
function isRefused(error: { code?: string; $metadata?: { httpStatusCode?: number } }): boolean {
  const status = error.$metadata?.httpStatusCode;
  if (status === undefined) return unsent.includes(error.code ?? "");
  return (status >= 400 && status < 500) || status === unavailableStatus;
}

/** Makes clients that wait for an answer until `requestTimeout`, in milliseconds. */
export function sesClient(requestTimeout = timeouts.requestTimeout): (region: string) => Promise<SESv2Client> {
  return async (region) => {
    const { SESv2Client } = await import("@aws-sdk/client-sesv2");
    const requestHandler = { ...timeouts, requestTimeout, ...agents(), throwOnRequestTimeout: true };
    return new SESv2Client({ region, ...attempts, requestHandler });
  };
}
