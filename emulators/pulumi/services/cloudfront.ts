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
        // A bucket serves whoever the edge asks for: nobody else reaches it here.
        noEffect: "originAccessControlId",
        nested: {
          customOriginConfig: {
            served: "originReadTimeout",
            noEffect: "httpPort httpsPort originProtocolPolicy originSslProtocols originKeepaliveTimeout",
          },
        },
      },
      defaultCacheBehavior: {
        // The two policies are those that `Distribution` knows.
        served: "targetOriginId functionAssociations cachePolicyId originRequestPolicyId responseHeadersPolicyId",
        noEffect: "viewerProtocolPolicy allowedMethods cachedMethods compress",
      },
    },
  },
};

const originAccessControl: Descriptor = {
  type: "aws:cloudfront/originAccessControl:OriginAccessControl",
  compute: (name) => ({ id: idOf(name, 14).toUpperCase(), outputs: {} }),
  inputs: { noEffect: "originAccessControlOriginType signingBehavior signingProtocol" },
};

export const headersPolicy: Descriptor = {
  type: "aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy",
  compute: (name) => ({ id: `${name}-headers`, outputs: {} }),
  inputs: { served: "corsConfig securityHeadersConfig customHeadersConfig" },
};

export const cloudFront = [edgeFunction, distribution, originAccessControl, headersPolicy];
