// The web console: files in a private bucket, behind a distribution of its own.
import { join } from "node:path";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { Discovery } from "../../domain/access/discovery.ts";
import { regions } from "../../domain/catalog/region.ts";
import { edgeCodeProblems } from "../aws-limits.ts";
import { keptFiles } from "../bundle.ts";
import { consoleUrl, type StackConfig } from "../config.ts";
import { note } from "../config-error.ts";
import { hostDistribution, managedPolicy } from "../host-distribution.ts";
import type { ConsoleConfig } from "./console-config.ts";
import { consoleFiles, mediaType } from "./console-files.ts";
import { pageAddresses } from "./page-addresses.ts";

/** A file whose name holds its hash never changes. */
const forEver = "public, max-age=31536000, immutable";
/** The names of the others stay, so that a browser asks each time whether they are still the same. */
const asksEachTime = "no-cache";

type ConsoleArgs = { config: StackConfig; discovery: pulumi.Output<string> };

export class Console extends pulumi.ComponentResource {
  readonly url: string;

  constructor(name: string, { config, discovery }: ConsoleArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Console", name, {}, opts);
    this.url = consoleUrl(config);
    const bucket = this.createBucket(name);
    this.createFiles(name, bucket, config, discovery);
    this.createDistribution(name, bucket, config);
    this.registerOutputs({ url: this.url });
  }

  private createBucket(name: string): aws.s3.Bucket {
    // The bucket may be destroyed with its files: they are built from the repository, and nothing else is stored there.
    const bucket = new aws.s3.Bucket(name, { forceDestroy: true }, { parent: this });
    new aws.s3.BucketPublicAccessBlock(
      name,
      {
        bucket: bucket.id,
        blockPublicAcls: true,
        blockPublicPolicy: true,
        ignorePublicAcls: true,
        restrictPublicBuckets: true,
      },
      { parent: this },
    );
    return bucket;
  }

  private createFiles(
    name: string,
    bucket: aws.s3.Bucket,
    config: StackConfig,
    discovery: pulumi.Output<string>,
  ): void {
    const files = consoleFiles();
    const folder = keptFiles(files);
    for (const path of Object.keys(files)) {
      new aws.s3.BucketObjectv2(
        `${name}-${path}`,
        {
          bucket: bucket.id,
          key: path,
          source: new pulumi.asset.FileAsset(join(folder, path)),
          contentType: mediaType(path),
          cacheControl: path.startsWith("assets/") ? forEver : asksEachTime,
        },
        { parent: this },
      );
    }
    new aws.s3.BucketObjectv2(
      `${name}-config`,
      {
        bucket: bucket.id,
        key: "config.json",
        content: discovery.apply((text) => JSON.stringify(consoleConfig(config, JSON.parse(text)))),
        contentType: mediaType("config.json"),
        cacheControl: asksEachTime,
      },
      { parent: this },
    );
  }

  private createDistribution(name: string, bucket: aws.s3.Bucket, config: StackConfig): void {
    const access = new aws.cloudfront.OriginAccessControl(
      name,
      { originAccessControlOriginType: "s3", signingBehavior: "always", signingProtocol: "sigv4" },
      { parent: this },
    );
    note(edgeCodeProblems(name, pageAddresses));
    const edgeFunction = new aws.cloudfront.Function(
      name,
      { runtime: "cloudfront-js-2.0", code: pageAddresses, publish: true },
      { parent: this },
    );
    const distribution = hostDistribution(
      name,
      {
        config,
        host: new URL(this.url).hostname,
        origins: [{ originId: "files", domainName: bucket.bucketRegionalDomainName, originAccessControlId: access.id }],
        defaultCacheBehavior: {
          targetOriginId: "files",
          viewerProtocolPolicy: "redirect-to-https",
          allowedMethods: ["GET", "HEAD"],
          cachedMethods: ["GET", "HEAD"],
          compress: true,
          cachePolicyId: managedPolicy(
            aws.cloudfront.getCachePolicyOutput({ name: "Managed-CachingOptimized" }, { parent: this }),
          ),
          responseHeadersPolicyId: this.createHeadersPolicy(name, config).id,
          functionAssociations: [{ eventType: "viewer-request", functionArn: edgeFunction.arn }],
        },
      },
      { parent: this },
    );
    this.allowReading(name, bucket, distribution);
  }

  /**
   * Lets this distribution, and nobody else, read the files
   * (docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-restricting-access-to-s3.html).
   */
  private allowReading(name: string, bucket: aws.s3.Bucket, distribution: aws.cloudfront.Distribution): void {
    const policy = {
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Service: "cloudfront.amazonaws.com" },
          Action: "s3:GetObject",
          Resource: pulumi.interpolate`${bucket.arn}/*`,
          Condition: { StringEquals: { "aws:SourceArn": distribution.arn } },
        },
      ],
    };
    new aws.s3.BucketPolicy(name, { bucket: bucket.id, policy: pulumi.jsonStringify(policy) }, { parent: this });
  }

  private createHeadersPolicy(name: string, config: StackConfig): aws.cloudfront.ResponseHeadersPolicy {
    return new aws.cloudfront.ResponseHeadersPolicy(
      name,
      {
        securityHeadersConfig: {
          contentSecurityPolicy: { contentSecurityPolicy: contentSecurityPolicy(config), override: true },
          contentTypeOptions: { override: true },
          frameOptions: { frameOption: "DENY", override: true },
          referrerPolicy: { referrerPolicy: "no-referrer", override: true },
          strictTransportSecurity: { accessControlMaxAgeSec: 31_536_000, includeSubdomains: false, override: true },
        },
        customHeadersConfig: {
          items: [
            { header: "cross-origin-opener-policy", value: "same-origin", override: true },
            { header: "permissions-policy", value: "camera=(), geolocation=(), microphone=()", override: true },
          ],
        },
      },
      { parent: this },
    );
  }
}

/** Scripts and styles are files of our own, and the console speaks to the platform alone. */
function contentSecurityPolicy(config: StackConfig): string {
  const { domain } = config;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' https://api.${domain} https://auth.${domain} ${userPoolApi()}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** The user pool's API, at which a signed-in person sets up a second factor. */
function userPoolApi(): string {
  return `https://cognito-idp.${aws.config.region}.amazonaws.com`;
}

function consoleConfig(config: StackConfig, discovery: Discovery): ConsoleConfig {
  return {
    ...discovery,
    brand: config.brand,
    approval: config.approval,
    user_pool_url: userPoolApi(),
    regions: [...regions],
    default_region: config.defaultRegion,
    billing: config.stripe !== undefined,
  };
}
