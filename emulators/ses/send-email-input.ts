// The input of SendEmail: text, and HTML beside it, in UTF-8 (docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html).
import * as z from "zod";
import { parsedInput } from "../aws/input.ts";
import { AwsError, type AwsRequest, jsonBody } from "../aws/service.ts";

export type SendEmailInput = {
  from: Address;
  /** The identity whose sending authorization is used. Without it SES looks for an identity of the address. */
  identityArn: string | undefined;
  to: Address[];
  subject: string;
  text: string;
  html: string | undefined;
};

export type Address = { name: string | undefined; address: string; domain: string };

/** The most recipients of To, Cc and Bcc together (docs.aws.amazon.com/ses/latest/dg/quotas.html, "Message quotas"). */
const maxRecipients = 50;
/** The size of a message with its attachments (docs.aws.amazon.com/ses/latest/dg/quotas.html, "Message quotas"). */
const maxMessageBytes = 40 * 1024 * 1024;

const content = z.strictObject({ Data: z.string(), Charset: z.literal("UTF-8") });

const schema = z.strictObject({
  FromEmailAddress: z.string(),
  FromEmailAddressIdentityArn: z
    .string()
    .regex(/^arn:aws:ses:[a-z0-9-]+:\d{12}:identity\/\S+$/)
    .optional(),
  Destination: z.strictObject({ ToAddresses: z.array(z.string()).min(1) }),
  Content: z.strictObject({
    Simple: z.strictObject({ Subject: content, Body: z.strictObject({ Text: content, Html: content.optional() }) }),
  }),
});

/** @throws AwsError BadRequestException, for an input that SES refuses or the local stack does not emulate */
export function sendEmailInput(request: Pick<AwsRequest, "body">): SendEmailInput {
  const input = parsedInput(schema, jsonBody(request), "BadRequestException");
  const { FromEmailAddress, FromEmailAddressIdentityArn, Destination, Content } = input;
  const { Subject, Body } = Content.Simple;
  const to = Destination.ToAddresses.map(addressOf);
  if (to.length > maxRecipients) throw invalid(`Recipient count exceeds ${maxRecipients}.`);
  const parts = [Subject.Data, Body.Text.Data, Body.Html?.Data ?? ""];
  if (parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) > maxMessageBytes) {
    throw invalid("Message length exceeds the maximum.");
  }
  // No source says how SES treats a line break in a header, so that none gets through here.
  if (/\p{Cc}/u.test(Subject.Data)) throw invalid("The subject has control characters.");
  return {
    from: addressOf(FromEmailAddress),
    identityArn: FromEmailAddressIdentityArn,
    to,
    subject: Subject.Data,
    text: Body.Text.Data,
    html: Body.Html?.Data,
  };
}

/** Names and addresses alike are 7-bit ASCII: SES has no SMTPUTF8 (API reference, Destination). */
function addressOf(text: string): Address {
  if (/[^\x20-\x7e]/.test(text)) throw invalid("Addresses must be printable 7-bit ASCII.");
  const [, name, inBrackets] = /^\s*(.*?)\s*<([^<>]*)>$/.exec(text) ?? [];
  const address = inBrackets ?? text;
  const [, domain] = /^[^\s@,;:<>()[\]\\"]+@([^\s@,;:<>()[\]\\"]+)$/.exec(address) ?? [];
  if (domain === undefined) throw invalid(`Illegal address: ${address}`);
  return { name, address, domain };
}

function invalid(message: string): AwsError {
  return new AwsError("BadRequestException", message);
}
