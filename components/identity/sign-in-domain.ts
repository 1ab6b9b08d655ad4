// Where people sign in: `auth.<domain>` of the user pool, with its certificate and DNS.
import * as aws from "@pulumi/aws";
import type * as cloudflare from "@pulumi/cloudflare";
import * as pulumi from "@pulumi/pulumi";
import { Certificate } from "../certificate.ts";
import type { StackConfig } from "../config.ts";
import { dnsRecord } from "../dns-record.ts";

type SignInDomainArgs = { config: StackConfig; userPool: aws.cognito.UserPool };

/** An address of a block for documentation (RFC 5737): the name resolves, and no server answers there. */
const nobodysAddress = "192.0.2.1";

export class SignInDomain extends pulumi.ComponentResource {
  constructor(name: string, { config, userPool }: SignInDomainArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:SignInDomain", name, {}, opts);
    const { domain, cloudflareZoneId } = config;
    const host = `auth.${domain}`;
    const parentRecord = config.domainResolves ? [] : [this.createParentRecord(name, config)];
    const certificate = new Certificate(
      `${name}-auth`,
      { domainName: host, zoneId: cloudflareZoneId, region: "us-east-1" },
      { parent: this },
    );
    const userPoolDomain = new aws.cognito.UserPoolDomain(
      name,
      { userPoolId: userPool.id, domain: host, certificateArn: certificate.arn, managedLoginVersion: 2 },
      // A pool has one domain, and a domain one pool
      // (docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-add-custom-domain.html).
      { parent: this, dependsOn: parentRecord, deleteBeforeReplace: true },
    );
    const content = userPoolDomain.cloudfrontDistribution;
    dnsRecord(`${name}-auth`, { zoneId: cloudflareZoneId, name: host, type: "CNAME", content }, { parent: this });
    this.registerOutputs({});
  }

  /** Cognito takes no domain whose parent has no A record (repost.aws/knowledge-center/cognito-custom-domain-errors). */
  private createParentRecord(name: string, { domain, cloudflareZoneId }: StackConfig): cloudflare.DnsRecord {
    return dnsRecord(
      `${name}-domain`,
      { zoneId: cloudflareZoneId, name: domain, type: "A", content: nobodysAddress },
      { parent: this },
    );
  }
}
