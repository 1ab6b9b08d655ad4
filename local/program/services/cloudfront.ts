// CloudFront: distributions and their edge functions.
import type { Descriptor } from "../descriptor.ts";
import { arnOf, idOf, named } from "../names.ts";

const edgeFunction: Descriptor = {
  type: "aws:cloudfront/function:Function",
  compute: named("cloudfront", "function/", { global: true }),
  inputs: { served: "name code", noEffect: "runtime publish" },
};

export const distribution: Descriptor = {
  type: "aws:cloudfront/distribution:Distribution",
  compute(name) {
    const id = idOf(name, 14).toUpperCase();
    const arn = arnOf("cloudfront", "", `distribution/${id}`);
    return { id, outputs: { arn, domainName: `${id.toLowerCase()}.cloudfront.net` } };
  },
  inputs: {
    served: "aliases",
    // Nothing is cached here, errors included, and every viewer speaks HTTP/1.1.
    noEffect: "enabled customErrorResponses httpVersion isIpv6Enabled priceClass restrictions viewerCertificate",
    nested: {
      origins: {
        served: "originId domainName customHeaders",
        nested: {
          customOriginConfig: {
            served: "originReadTimeout",
            noEffect: "httpPort httpsPort originProtocolPolicy originSslProtocols originKeepaliveTimeout",
          },
        },
      },
      defaultCacheBehavior: {
        served: "targetOriginId functionAssociations",
        noEffect: "viewerProtocolPolicy allowedMethods cachedMethods compress",
        fixed: {
          cachePolicyId: "Managed-CachingDisabled",
          originRequestPolicyId: "Managed-AllViewerExceptHostHeader",
        },
      },
    },
  },
};

export const cloudFront = [edgeFunction, distribution];
