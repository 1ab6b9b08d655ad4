// What a provider would compute: one table from a resource's type to its outputs. A type that is not here stops the start.
import { createHash } from "node:crypto";
import { accountId } from "../aws/account.ts";

type Inputs = Record<string, unknown>;

export type Computed = { id: string; outputs: Inputs };

type Compute = (name: string, inputs: Inputs, region: string) => Computed;

/** Physical names end in a suffix, as Pulumi's automatic names do, so that nothing can rely on the logical name. */
const suffix = "local";

export const outputs: Record<string, Compute> = {
  "aws:dynamodb/table:Table": (name, inputs, region) => {
    const table = physical(name, inputs);
    return { id: table, outputs: { name: table, arn: arn("dynamodb", region, `table/${table}`) } };
  },
  "aws:iam/role:Role": (name, inputs) => {
    const role = physical(name, inputs);
    return { id: role, outputs: { name: role, arn: arn("iam", "", `role/${role}`) } };
  },
  "aws:iam/rolePolicy:RolePolicy": (name, inputs) => {
    const policy = physical(name, inputs);
    return { id: `${inputs.role}:${policy}`, outputs: { name: policy } };
  },
  "aws:cloudwatch/logGroup:LogGroup": (name, inputs, region) => {
    const group = physical(name, inputs);
    return { id: group, outputs: { name: group, arn: arn("logs", region, `log-group:${group}`) } };
  },
  "aws:cloudwatch/eventRule:EventRule": (name, inputs, region) => {
    const rule = physical(name, inputs);
    return { id: rule, outputs: { name: rule, arn: arn("events", region, `rule/${rule}`) } };
  },
  "aws:cloudwatch/eventTarget:EventTarget": (name, inputs) => ({
    id: `${inputs.rule}-${name}`,
    outputs: { targetId: name },
  }),
  "aws:lambda/function:Function": (name, inputs, region) => {
    const fn = physical(name, inputs);
    const functionArn = arn("lambda", region, `function:${fn}`);
    return {
      id: fn,
      outputs: {
        name: fn,
        arn: functionArn,
        invokeArn: `arn:aws:apigateway:${region}:lambda:path/2015-03-31/functions/${functionArn}/invocations`,
      },
    };
  },
  "aws:lambda/functionUrl:FunctionUrl": (name, inputs, region) => {
    const urlId = idOf(name, 32);
    return {
      id: String(inputs.functionName),
      outputs: { urlId, functionUrl: `https://${urlId}.lambda-url.${region}.on.aws/` },
    };
  },
  "aws:lambda/permission:Permission": (name) => ({ id: name, outputs: { statementId: name } }),
  "aws:cognito/userPool:UserPool": (name, inputs, region) => {
    const id = `${region}_${idOf(name, 9)}`;
    const endpoint = `cognito-idp.${region}.amazonaws.com/${id}`;
    return {
      id,
      outputs: { name: physical(name, inputs), arn: arn("cognito-idp", region, `userpool/${id}`), endpoint },
    };
  },
  "aws:cognito/userPoolClient:UserPoolClient": (name, inputs) => ({
    id: idOf(name, 26),
    outputs: {
      name: physical(name, inputs),
      ...(inputs.generateSecret === true && { clientSecret: idOf(`${name} secret`, 51) }),
    },
  }),
  "aws:cognito/userPoolDomain:UserPoolDomain": (_name, inputs) => ({
    id: String(inputs.domain),
    outputs: { cloudfrontDistribution: "d111111abcdef8.cloudfront.net" },
  }),
  "aws:cognito/resourceServer:ResourceServer": (_name, inputs) => ({
    id: `${inputs.userPoolId}|${inputs.identifier}`,
    outputs: {},
  }),
  "aws:cognito/managedLoginBranding:ManagedLoginBranding": (name) => ({ id: idOf(name, 26), outputs: {} }),
  "aws:apigatewayv2/api:Api": (name, inputs, region) => {
    const id = idOf(name, 10);
    return {
      id,
      outputs: {
        name: physical(name, inputs),
        apiEndpoint: `https://${id}.execute-api.${region}.amazonaws.com`,
        executionArn: arn("execute-api", region, id),
      },
    };
  },
  "aws:apigatewayv2/integration:Integration": (name) => ({ id: idOf(name, 7), outputs: {} }),
  "aws:apigatewayv2/route:Route": (name) => ({ id: idOf(name, 7), outputs: {} }),
  "aws:apigatewayv2/stage:Stage": (_name, inputs) => ({ id: String(inputs.name), outputs: {} }),
  "aws:apigatewayv2/domainName:DomainName": (_name, inputs, region) => ({
    id: String(inputs.domainName),
    outputs: {
      domainNameConfiguration: {
        ...(inputs.domainNameConfiguration as Inputs),
        targetDomainName: `d-local.execute-api.${region}.amazonaws.com`,
      },
    },
  }),
  "aws:apigatewayv2/apiMapping:ApiMapping": (name) => ({ id: idOf(name, 6), outputs: {} }),
  "aws:cloudfront/function:Function": (name, inputs) => {
    const fn = physical(name, inputs);
    return { id: fn, outputs: { name: fn, arn: arn("cloudfront", "", `function/${fn}`) } };
  },
  "aws:cloudfront/distribution:Distribution": (name) => {
    const id = idOf(name, 14).toUpperCase();
    return {
      id,
      outputs: { arn: arn("cloudfront", "", `distribution/${id}`), domainName: `${id.toLowerCase()}.cloudfront.net` },
    };
  },
  "aws:acm/certificate:Certificate": (name, inputs, region) => ({
    id: name,
    outputs: {
      arn: arn("acm", String(inputs.region ?? region), `certificate/${idOf(name, 36)}`),
      domainValidationOptions: [
        {
          domainName: inputs.domainName,
          resourceRecordName: `_local.${String(inputs.domainName).replace(/^\*\./, "")}.`,
          resourceRecordType: "CNAME",
          resourceRecordValue: "_local.acm-validations.aws.",
        },
      ],
    },
  }),
  "aws:acm/certificateValidation:CertificateValidation": (name) => ({ id: name, outputs: {} }),
  "cloudflare:index/dnsRecord:DnsRecord": (name) => ({ id: idOf(name, 32), outputs: {} }),
};

type Invoke = (inputs: Inputs, region: string) => Inputs;

/** Look-ups that a program makes of its account. */
export const invokes: Record<string, Invoke> = {
  "aws:index/getCallerIdentity:getCallerIdentity": () => ({ accountId }),
  "aws:index/getRegion:getRegion": (_inputs, region) => ({ region, name: region }),
  "aws:cloudfront/getCachePolicy:getCachePolicy": (inputs) => ({ id: String(inputs.name) }),
  "aws:cloudfront/getOriginRequestPolicy:getOriginRequestPolicy": (inputs) => ({ id: String(inputs.name) }),
};

function physical(name: string, inputs: Inputs): string {
  return typeof inputs.name === "string" ? inputs.name : `${name}-${suffix}`;
}

/** A name's stable id of lower-case letters and digits: the same in each run, so that stored data keeps its meaning. */
function idOf(name: string, length: number): string {
  const digest = createHash("sha512").update(name).digest("hex");
  return BigInt(`0x${digest}`).toString(36).slice(0, length);
}

function arn(service: string, region: string, resource: string): string {
  return `arn:aws:${service}:${region}:${accountId}:${resource}`;
}
