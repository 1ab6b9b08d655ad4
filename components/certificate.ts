// A certificate that is validated by its record in Cloudflare's DNS.
import * as aws from "@pulumi/aws";
import type * as cloudflare from "@pulumi/cloudflare";
import * as pulumi from "@pulumi/pulumi";
import { dnsRecord } from "./dns-record.ts";

type CertificateArgs = {
  domainName: string;
  zoneId: string;
  /** CloudFront and Cognito's own domain take certificates of us-east-1 only. The stack's region by default. */
  region?: "us-east-1";
};

export class Certificate extends pulumi.ComponentResource {
  /** Known once the certificate is valid. */
  readonly arn: pulumi.Output<string>;

  constructor(name: string, args: CertificateArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Certificate", name, {}, opts);
    const certificate = this.createCertificate(name, args);
    const record = this.createValidationRecord(name, args, certificate);
    this.arn = this.createValidation(name, args, certificate, record).certificateArn;
    this.registerOutputs({ arn: this.arn });
  }

  private createCertificate(name: string, { domainName, region }: CertificateArgs): aws.acm.Certificate {
    return new aws.acm.Certificate(
      name,
      { domainName, validationMethod: "DNS", ...(region && { region }) },
      { parent: this },
    );
  }

  private createValidationRecord(
    name: string,
    { zoneId }: CertificateArgs,
    certificate: aws.acm.Certificate,
  ): cloudflare.DnsRecord {
    const option = certificate.domainValidationOptions.apply(([first]) => {
      if (!first) throw new Error(`${name}: the certificate has no validation option`);
      return first;
    });
    return dnsRecord(
      `${name}-validation`,
      {
        zoneId,
        name: option.resourceRecordName.apply(withoutTrailingDot),
        type: option.resourceRecordType,
        content: option.resourceRecordValue.apply(withoutTrailingDot),
      },
      { parent: this },
    );
  }

  private createValidation(
    name: string,
    { region }: CertificateArgs,
    certificate: aws.acm.Certificate,
    record: cloudflare.DnsRecord,
  ): aws.acm.CertificateValidation {
    return new aws.acm.CertificateValidation(
      name,
      { certificateArn: certificate.arn, validationRecordFqdns: [record.name], ...(region && { region }) },
      { parent: this },
    );
  }
}

/** ACM ends names with a dot and Cloudflare does not: left as it is, every deployment would find a difference. */
function withoutTrailingDot(name: string): string {
  return name.replace(/\.$/, "");
}
