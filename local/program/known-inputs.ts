// The inputs that the local stack knows of the resources it serves itself. Tables, policies and the user pool check their
// own. What is declared beyond these stops the start: it would be left out in silence.
import type { DeclaredResource } from "./resources.ts";

/** `served` inputs have an effect here; `noEffect` ones matter to AWS alone. Dots lead into nested inputs, of each element. */
type Known = { served: string; noEffect?: string };

const known: Record<string, Known> = {
  "aws:lambda/function:Function": {
    served: "name code handler role environment timeout memorySize loggingConfig",
    noEffect: "runtime architectures",
  },
  "aws:lambda/functionUrl:FunctionUrl": { served: "functionName authorizationType invokeMode" },
  "aws:lambda/permission:Permission": {
    served: "action function principal sourceArn functionUrlAuthType invokedViaFunctionUrl",
  },
  "aws:cloudwatch/logGroup:LogGroup": { served: "name", noEffect: "retentionInDays" },
  "aws:cloudwatch/eventRule:EventRule": { served: "name scheduleExpression", noEffect: "description" },
  "aws:cloudwatch/eventTarget:EventTarget": { served: "rule arn" },
  "aws:apigatewayv2/api:Api": { served: "name protocolType", noEffect: "disableExecuteApiEndpoint" },
  "aws:apigatewayv2/integration:Integration": {
    served: "apiId integrationType integrationUri payloadFormatVersion",
  },
  "aws:apigatewayv2/route:Route": { served: "apiId routeKey target" },
  "aws:apigatewayv2/stage:Stage": { served: "apiId name", noEffect: "autoDeploy" },
  "aws:apigatewayv2/domainName:DomainName": { served: "domainName", noEffect: "domainNameConfiguration" },
  "aws:apigatewayv2/apiMapping:ApiMapping": { served: "apiId domainName stage" },
  "aws:cloudfront/function:Function": { served: "name code", noEffect: "runtime publish" },
  "aws:cloudfront/distribution:Distribution": {
    served: "aliases origins defaultCacheBehavior",
    // Nothing is cached here, errors included, and every viewer speaks HTTP/1.1.
    noEffect: "enabled customErrorResponses httpVersion isIpv6Enabled priceClass restrictions viewerCertificate",
  },
  "aws:cloudfront/distribution:Distribution.origins": {
    served: "originId domainName customHeaders customOriginConfig",
  },
  "aws:cloudfront/distribution:Distribution.origins.customOriginConfig": {
    served: "originReadTimeout",
    noEffect: "httpPort httpsPort originProtocolPolicy originSslProtocols originKeepaliveTimeout",
  },
  "aws:cloudfront/distribution:Distribution.defaultCacheBehavior": {
    served: "targetOriginId functionAssociations cachePolicyId originRequestPolicyId",
    noEffect: "viewerProtocolPolicy allowedMethods cachedMethods compress",
  },
  "aws:acm/certificate:Certificate": { served: "domainName", noEffect: "validationMethod region" },
  "aws:acm/certificateValidation:CertificateValidation": {
    served: "certificateArn",
    noEffect: "validationRecordFqdns region",
  },
  "aws:cognito/userPoolDomain:UserPoolDomain": {
    served: "domain userPoolId",
    noEffect: "certificateArn managedLoginVersion",
  },
  "aws:cognito/managedLoginBranding:ManagedLoginBranding": {
    served: "userPoolId clientId",
    noEffect: "useCognitoProvidedValues",
  },
  "cloudflare:index/dnsRecord:DnsRecord": { served: "", noEffect: "zoneId name type content ttl proxied" },
};

/** Inputs that are known with one value only, because the emulation has that behaviour built in. */
const fixed: Record<string, Record<string, unknown>> = {
  "aws:apigatewayv2/api:Api": { protocolType: "HTTP" },
  "aws:apigatewayv2/integration:Integration": { integrationType: "AWS_PROXY", payloadFormatVersion: "2.0" },
  "aws:cloudfront/distribution:Distribution.defaultCacheBehavior": {
    cachePolicyId: "Managed-CachingDisabled",
    originRequestPolicyId: "Managed-AllViewerExceptHostHeader",
  },
};

/** What a resource declares and the local stack does not know, one sentence each. */
export function unknownInputs({ type, name, inputs }: DeclaredResource): string[] {
  return problemsOf(type, inputs, `${type} "${name}"`);
}

function problemsOf(path: string, inputs: Record<string, unknown>, where: string): string[] {
  const table = known[path];
  if (!table) return [];
  const names = `${table.served} ${table.noEffect ?? ""}`.split(" ");
  return Object.entries(inputs).flatMap(([input, value]) => {
    if (value === undefined) return [];
    if (!names.includes(input)) return [`${where}: the local stack does not know the input ${input}.`];
    const only = fixed[path]?.[input];
    if (only !== undefined && value !== only) return [`${where}: the local stack knows ${input} as ${only} only.`];
    const elements = Array.isArray(value) ? value : [value];
    return elements.flatMap((element) =>
      element !== null && typeof element === "object"
        ? problemsOf(`${path}.${input}`, element as Record<string, unknown>, `${where}.${input}`)
        : [],
    );
  });
}
