// A certificate that is validated by its record in Cloudflare's DNS.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { dnsRecord } from "./dns-record.ts";

type CertificateArgs = {
  domainName: string;
  zoneId: string;
  /** CloudFront and Cognito's own domain take certificates of us-east-1 only. The stack's region by default. */
  region?: "us-east-1";
};

export class Certificate extends pulumi.ComponentResource {
  /** The certificate's ARN, which is known once the certificate is valid. */
  readonly arn: pulumi.Output<string>;

  constructor(name: string, { domainName, zoneId, region }: CertificateArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Certificate", name, {}, opts);
    const elsewhere = region && { region };
    const certificate = new aws.acm.Certificate(
      name,
      { domainName, validationMethod: "DNS", ...elsewhere },
      { parent: this },
    );
    const option = certificate.domainValidationOptions.apply(([first]) => {
      if (!first) throw new Error(`${name}: the certificate has no validation option`);
      return first;
    });
    const record = dnsRecord(
      `${name}-validation`,
      {
        zoneId,
        name: option.resourceRecordName.apply(withoutTrailingDot),
        type: option.resourceRecordType,
        content: option.resourceRecordValue.apply(withoutTrailingDot),
      },
      { parent: this },
    );
    const validation = new aws.acm.CertificateValidation(
      name,
      { certificateArn: certificate.arn, validationRecordFqdns: [record.name], ...elsewhere },
      { parent: this },
    );
    this.arn = validation.certificateArn;
    this.registerOutputs({ arn: this.arn });
  }
}

/** ACM ends names with a dot and Cloudflare does not: left as it is, every deployment would find a difference. */
function withoutTrailingDot(name: string): string {
  return name.replace(/\.$/, "");
}
