// A distribution for one host, with its certificate and its DNS record. What it serves, and how, its component says.
import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { Certificate } from "./certificate.ts";
import type { StackConfig } from "./config.ts";
import { dnsRecord } from "./dns-record.ts";

type Served = Pick<aws.cloudfront.DistributionArgs, "origins" | "defaultCacheBehavior" | "customErrorResponses">;

type HostDistributionArgs = Served & {
  config: StackConfig;
  /** The name that the distribution answers for, which may begin with `*.`. */
  host: string;
  /** The certificate's name in the program; the distribution's unless given. */
  certificateName?: string | undefined;
};

export function hostDistribution(
  name: string,
  { config, host, certificateName = name, ...served }: HostDistributionArgs,
  opts: pulumi.ResourceOptions,
): aws.cloudfront.Distribution {
  const zoneId = config.cloudflareZoneId;
  const certificate = new Certificate(certificateName, { domainName: host, zoneId, region: "us-east-1" }, opts);
  const distribution = new aws.cloudfront.Distribution(
    name,
    {
      enabled: true,
      aliases: [host],
      httpVersion: "http2and3",
      isIpv6Enabled: true,
      priceClass: "PriceClass_All",
      ...served,
      restrictions: { geoRestriction: { restrictionType: "none" } },
      viewerCertificate: {
        acmCertificateArn: certificate.arn,
        sslSupportMethod: "sni-only",
        minimumProtocolVersion: "TLSv1.2_2021",
      },
    },
    // An alias belongs to one distribution: a second one is a CNAMEAlreadyExists
    // (docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/CNAMEs.html).
    { ...opts, deleteBeforeReplace: true },
  );
  dnsRecord(name, { zoneId, name: host, type: "CNAME", content: distribution.domainName }, opts);
  return distribution;
}

/** The id of a policy that CloudFront manages. @throws Error if there is none of its name */
export function managedPolicy(policy: pulumi.Output<{ id?: string }>): pulumi.Output<string> {
  return policy.apply(({ id }) => {
    if (!id) throw new Error("CloudFront has no managed policy of this name");
    return id;
  });
}
