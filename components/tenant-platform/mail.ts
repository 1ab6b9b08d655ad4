// The platform's own mails: what they name, their sender, and the right to send from that address only.
import { consoleUrl, type StackConfig } from "../config.ts";
import { Link } from "../link.ts";

/** The variables of a function that mails (`mailSender` in handlers/contract.ts); none without a sender. */
export function mailEnvironment(config: Pick<StackConfig, "brand" | "domain" | "mail">): {
  BRAND: string;
  CONSOLE_URL: string;
  MAIL_FROM?: string;
  MAIL_IDENTITY_ARN?: Link;
} {
  const { brand, mail } = config;
  const platform = { BRAND: brand, CONSOLE_URL: consoleUrl(config) };
  return mail ? { ...platform, MAIL_FROM: mail.from, MAIL_IDENTITY_ARN: identityLink(mail) } : platform;
}

/**
 * An identity's ARN, with the right to send from the address. `ses:FromAddress` is the address without its name
 * (docs.aws.amazon.com/ses/latest/dg/control-user-access.html).
 */
function identityLink({ from, identityArn }: NonNullable<StackConfig["mail"]>): Link {
  const [, address = from] = /<(.*)>$/.exec(from) ?? [];
  return new Link(identityArn, [
    {
      actions: ["ses:SendEmail"],
      resources: [identityArn],
      conditions: { StringEquals: { "ses:FromAddress": address } },
    },
  ]);
}
