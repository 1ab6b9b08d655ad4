// The sender of all mail, as the configuration names it.
import * as z from "zod";
import { isOfIdentity } from "./aws-limits.ts";

/** The sender's address as SES takes it: 7-bit ASCII (docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html), and one address. */
const sender = /^(?=[\x20-\x7e]+$)([^<>@,;:"\\]+ <[^<>@\s,;:"\\]+@[^<>@\s,;:"\\]+>|[^<>@\s,;:"\\]+@[^<>@\s,;:"\\]+)$/;

export const mailConfig = z
  .strictObject({
    /** `no-reply@example.com` or `Example <no-reply@example.com>`. */
    from: z.string().regex(sender, "must be an address, or a name and <address>, in ASCII"),
    /** The verified identity in SES that sends. */
    identityArn: z
      .string()
      .regex(/^arn:aws:ses:[a-z0-9-]+:\d{12}:identity\/\S+$/, "must be the ARN of an identity in SES"),
  })
  .refine(isOfIdentity, {
    path: ["identityArn"],
    error: "must be the identity of the sender's address, or of its domain",
  });
