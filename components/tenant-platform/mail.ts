// The sender of the platform's own mails: its address, and the right to send from that address only.
import type { StackConfig } from "../config.ts";
import { Link } from "../link.ts";

/** The variables of a function that mails (`mailSender` in handlers/contract.ts); none without a sender. */
export function mailEnvironment({ mail }: Pick<StackConfig, "mail">): {
  MAIL_FROM?: string;
  MAIL_IDENTITY_ARN?: Link;
} {
  if (!mail) return {};
  return { MAIL_FROM: mail.from, MAIL_IDENTITY_ARN: identityLink(mail) };
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
