// A distribution that stores nothing: an edge function looks at each request, and what it lets pass goes to a function's URL.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "./config.ts";
import { hostDistribution, managedPolicy } from "./host-distribution.ts";

type RelayDistributionArgs = {
  config: StackConfig;
  /** The name that the distribution answers for, which may begin with `*.`. */
  host: string;
  functionUrl: aws.lambda.FunctionUrl;
  edgeFunction: aws.cloudfront.Function;
  /** Headers that the origin gets beside the viewer's. */
  customHeaders?: { name: string; value: pulumi.Input<string> }[];
  /** Headers that each answer of an origin gets. */
  headersPolicy?: aws.cloudfront.ResponseHeadersPolicy;
  readTimeoutSeconds: number;
  /** The certificate's name in the program; the distribution's unless given. */
  certificateName?: string;
};

export class RelayDistribution extends pulumi.ComponentResource {
  constructor(name: string, args: RelayDistributionArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:RelayDistribution", name, {}, opts);
    const { config, host, edgeFunction, headersPolicy, certificateName } = args;
    hostDistribution(
      name,
      {
        ...{ config, host, certificateName },
        origins: [originOf(name, args)],
        defaultCacheBehavior: {
          targetOriginId: name,
          viewerProtocolPolicy: "https-only",
          allowedMethods: ["GET", "HEAD", "OPTIONS", "PUT", "POST", "PATCH", "DELETE"],
          cachedMethods: ["GET", "HEAD"],
          compress: false,
          cachePolicyId: managedPolicy(
            aws.cloudfront.getCachePolicyOutput({ name: "Managed-CachingDisabled" }, { parent: this }),
          ),
          originRequestPolicyId: managedPolicy(
            aws.cloudfront.getOriginRequestPolicyOutput(
              { name: "Managed-AllViewerExceptHostHeader" },
              { parent: this },
            ),
          ),
          ...(headersPolicy && { responseHeadersPolicyId: headersPolicy.id }),
          functionAssociations: [{ eventType: "viewer-request", functionArn: edgeFunction.arn }],
        },
        customErrorResponses: neverCachedErrors,
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

function originOf(originId: string, { functionUrl, customHeaders, readTimeoutSeconds }: RelayDistributionArgs) {
  return {
    originId,
    domainName: functionUrl.functionUrl.apply((url) => new URL(url).hostname),
    ...(customHeaders && { customHeaders }),
    customOriginConfig: {
      httpPort: 80,
      httpsPort: 443,
      originProtocolPolicy: "https-only",
      originSslProtocols: ["TLSv1.2"],
      originReadTimeout: readTimeoutSeconds,
      originKeepaliveTimeout: 60,
    },
  };
}

/** CloudFront would cache an error for ten seconds, and its cache key has no viewer host: one tenant's would reach another. */
const neverCachedErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504].map((errorCode) => ({
  errorCode,
  errorCachingMinTtl: 0,
}));
