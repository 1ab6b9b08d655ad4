// The Simple Email Service (API v2), as far as functions mail by it. Mails of verified identities go into the local mailbox.
import { randomUUID } from "node:crypto";
import { accountId } from "../aws/account.ts";
import { type Authorization, AwsError, type AwsRequest, type AwsResponse, type AwsService } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Mailbox } from "../mailbox.ts";
import { type Address, type SendEmailInput, sendEmailInput } from "./send-email-input.ts";

type SesOptions = {
  /** The ARNs of the verified addresses and domains. */
  identities: readonly string[];
  mailbox: Mailbox;
  clock: Clock;
};

export class Ses implements AwsService {
  readonly signingName = "ses";
  readonly #options: SesOptions;

  constructor(options: SesOptions) {
    this.#options = options;
  }

  operation({ method, path }: AwsRequest): string {
    if (method === "POST" && path === "/v2/email/outbound-emails") return "SendEmail";
    throw new AwsError("UnknownOperationException", `The local stack's SES does not know ${method} ${path}`, 404);
  }

  /** The right on the identity that sends. */
  authorizations(operation: string, request: AwsRequest): Authorization[] {
    const input = sendEmailInput(request);
    const context: Record<string, string | string[]> = {
      "ses:FromAddress": input.from.address,
      "ses:Recipients": input.to.map(({ address }) => address),
      ...(input.from.name && { "ses:FromDisplayName": input.from.name }),
    };
    const resource =
      input.identityArn ?? this.#identityOf(input.from, request.region) ?? arnOf(input.from, request.region);
    return [{ action: `ses:${operation}`, resource, context }];
  }

  async handle(_operation: string, request: AwsRequest): Promise<AwsResponse> {
    const input = sendEmailInput(request);
    this.#refuseUnverified(input, request.region);
    const { mailbox, clock } = this.#options;
    for (const { address } of input.to) {
      const { subject, text, html } = input;
      mailbox.deliver({ to: address, subject, text, ...(html !== undefined && { html }) }, clock.now());
    }
    return answer(200, { MessageId: randomUUID() });
  }

  failure(error: AwsError): AwsResponse {
    const { status, headers, body } = answer(error.status, { message: error.message });
    return { status, headers: { ...headers, "x-amzn-errortype": error.code }, body };
  }

  /** Each region has identities of its own (repost.aws/knowledge-center/ses-554-400-message-rejected-error). */
  #refuseUnverified({ from, identityArn }: SendEmailInput, region: string): void {
    if (this.#identityOf(from, region, identityArn)) return;
    throw new AwsError(
      "MessageRejected",
      `Email address is not verified. The following identities failed the check in region ${region.toUpperCase()}: ${from.address}`,
    );
  }

  /**
   * The verified identity of an address: the address, its domain, or a domain above that
   * (docs.aws.amazon.com/ses/latest/dg/creating-identities.html: a domain's verification holds for its subdomains).
   */
  #identityOf({ address, domain }: Address, region: string, only?: string): string | undefined {
    const labels = domain.toLowerCase().split(".");
    const names = [address, ...labels.map((_, index) => labels.slice(index).join("."))];
    return this.#options.identities.find((arn) => {
      const [head = "", name = ""] = arn.split(":identity/");
      const isHere = head.split(":")[3] === region && (only === undefined || arn === only);
      return isHere && names.some((one) => one.toLowerCase() === name.toLowerCase());
    });
  }
}

function arnOf({ address }: Address, region: string): string {
  return `arn:aws:ses:${region}:${accountId}:identity/${address}`;
}

function answer(status: number, body: object): { status: number; headers: Record<string, string>; body: string } {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
