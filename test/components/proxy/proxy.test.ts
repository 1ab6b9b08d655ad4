import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { Identity } from "../../../components/identity/identity.ts";
import { Proxy } from "../../../components/proxy/proxy.ts";
import { viewerRequest } from "../../../components/proxy/viewer-request.ts";
import { Metering } from "../../../components/tenant-platform/metering.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { maxBodyBytes } from "../../../handlers/proxy/contract.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const secrets = {
  "archway:originSecret": "the-secret-of-today-00000000000000000000",
  "archway:previousOriginSecret": "the-secret-of-yesterday-0000000000000000",
};

const config = stackConfig(await readStackConfig(localStackFile, secrets));
const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  const identity = new Identity("identity", { config, table });
  const { unsettled } = new Metering("meter", { config, table, notices: undefined });
  new Proxy("proxy", { config, table, identity, unsettled });
});
const distribution = program.get("aws:cloudfront/distribution:Distribution", "proxy").inputs;
const { variables } = program.get("aws:lambda/function:Function", "proxy").inputs.environment;

describe("the function's URL", () => {
  test("the URL of the proxy's function streams, and is protected only by the origin secret", () => {
    expect(program.get("aws:lambda/functionUrl:FunctionUrl", "proxy").inputs).toEqual({
      functionName: "proxy-local",
      authorizationType: "NONE",
      invokeMode: "RESPONSE_STREAM",
    });
  });

  test("the URL of the proxy's function has exactly the two permissions that a URL needs", () => {
    const permissions = program.ofType("aws:lambda/permission:Permission").map(({ inputs }) => inputs);
    const anyone = { function: "proxy-local", principal: "*" };
    expect(permissions.filter((permission) => permission.function === "proxy-local")).toEqual([
      { ...anyone, action: "lambda:InvokeFunctionUrl", functionUrlAuthType: "NONE" },
      { ...anyone, action: "lambda:InvokeFunction", invokedViaFunctionUrl: true },
    ]);
  });
});

describe("the distribution", () => {
  test("the proxy's distribution answers for every tenant's host with a wildcard certificate of us-east-1", () => {
    expect(distribution.aliases).toEqual(["*.proxy.localhost"]);
    expect(distribution.viewerCertificate).toMatchObject({ sslSupportMethod: "sni-only" });
    expect(distribution.viewerCertificate.acmCertificateArn).toMatch(/^arn:aws:acm:us-east-1:/);
    expect(program.get("cloudflare:index/dnsRecord:DnsRecord", "proxy").inputs).toMatchObject({
      name: "*.proxy.localhost",
      type: "CNAME",
      content: expect.stringMatching(/\.cloudfront\.net$/),
      proxied: false,
    });
  });

  test("the proxy's distribution caches nothing, not even errors, because its cache key has no viewer host", () => {
    expect(distribution.defaultCacheBehavior.cachePolicyId).toBe("Managed-CachingDisabled");
    // Every code whose caching can be set (docs.aws.amazon.com/AmazonCloudFront, "HTTP 4xx and 5xx status codes").
    const codes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    expect(distribution.customErrorResponses).toEqual(codes.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 })));
  });

  test("the proxy's distribution compresses nothing, because compression would delay a stream", () => {
    expect(distribution.defaultCacheBehavior.compress).toBe(false);
  });

  test("the proxy's distribution passes on every method and header except the host, which must be the origin's host", () => {
    expect(distribution.defaultCacheBehavior).toMatchObject({
      viewerProtocolPolicy: "https-only",
      originRequestPolicyId: "Managed-AllViewerExceptHostHeader",
    });
    expect(distribution.defaultCacheBehavior.allowedMethods.toSorted()).toEqual([
      "DELETE",
      "GET",
      "HEAD",
      "OPTIONS",
      "PATCH",
      "POST",
      "PUT",
    ]);
  });

  test("the proxy's distribution calls the function's URL over HTTPS, waits 120 s for it, and sends the origin secret", () => {
    expect(distribution.origins).toEqual({
      secret: [
        {
          originId: distribution.defaultCacheBehavior.targetOriginId,
          domainName: expect.stringMatching(/\.lambda-url\.eu-central-1\.on\.aws$/),
          customHeaders: [{ name: "x-origin-secret", value: secrets["archway:originSecret"] }],
          customOriginConfig: {
            httpPort: 80,
            httpsPort: 443,
            originProtocolPolicy: "https-only",
            originSslProtocols: ["TLSv1.2"],
            originReadTimeout: 120,
            originKeepaliveTimeout: 60,
          },
        },
      ],
    });
  });

  test("the proxy's distribution runs the edge function on each viewer request, with the proxy's size limit", () => {
    expect(program.get("aws:cloudfront/function:Function", "proxy").inputs).toEqual({
      runtime: "cloudfront-js-2.0",
      code: viewerRequest(maxBodyBytes),
      publish: true,
    });
    expect(distribution.defaultCacheBehavior.functionAssociations).toEqual([
      { eventType: "viewer-request", functionArn: "arn:aws:cloudfront::000000000000:function/proxy-local" },
    ]);
  });
});

describe("the function", () => {
  test("the proxy's function knows the origin secrets only by hash, also the old one during a rotation", () => {
    expect(JSON.parse(variables.ORIGIN_SECRET_HASHES)).toEqual(
      Object.values(secrets).map((secret) => createHash("sha256").update(secret).digest("hex")),
    );
    expect(JSON.stringify(variables)).not.toContain("the-secret-of");
  });

  test("the proxy's function accepts only tokens of the token helper", () => {
    const clients = program.ofType("aws:cognito/userPoolClient:UserPoolClient");
    expect(clients).toHaveLength(4);
    expect(JSON.parse(variables.PROXY_CLIENT_IDS)).toHaveLength(1);
  });

  test("the proxy's function gets the stack's names and limits in the form in which it compares them: header names in lower case", () => {
    expect(variables).toMatchObject({
      TABLE_NAME: "archway-local",
      PROXY_DOMAIN: "proxy.localhost",
      SCOPE_PREFIX: "platform",
      VENDOR_SEGMENTS: '["vendor","anthropic"]',
      SESSION_HEADERS: '["x-code-session-id","x-claude-code-session-id"]',
      REGION_HEADERS: '["x-platform-region"]',
      DEFAULT_BURST: "60",
      DEFAULT_PER_MINUTE: "600",
      DEFAULT_MAX_IN_FLIGHT: "64",
      PING_SECONDS: "15",
      HOST_SILENCE_SECONDS: "300",
      ENFORCE_FREE_CREDIT: "true",
      MODEL_ALIASES: '{"latest":"claude-opus-5-5"}',
      BUDGET_STATUS: "429",
      ASSISTANT_STATUS: "409",
      CONSOLE_URL: "https://console.localhost",
    });
  });

  test("the proxy's function cannot call a model itself: it assumes a role that can", () => {
    const statements = statementsOf("proxy");
    expect(statements.flatMap(({ Action }) => Action).filter((action) => action.startsWith("bedrock:"))).toEqual([]);
    const assume = statements.filter(({ Action }) => Action.includes("sts:AssumeRole"));
    expect(assume).toEqual([
      { Effect: "Allow", Action: ["sts:AssumeRole", "sts:TagSession"], Resource: [variables.MODEL_HOST_ROLE_ARN] },
    ]);
  });
});

describe("the model host's role", () => {
  test("the model host's role trusts the proxy's role of this account for an hour, and only sessions tagged with a tenant and nothing else", () => {
    const role = program.get("aws:iam/role:Role", "proxy-model-host-111111111111").inputs;
    expect(role.maxSessionDuration).toBe(3600);
    expect(JSON.parse(role.assumeRolePolicy).Statement).toEqual([
      {
        Effect: "Allow",
        Principal: { AWS: "arn:aws:iam::000000000000:root" },
        Action: ["sts:AssumeRole", "sts:TagSession"],
        Condition: {
          ArnEquals: { "aws:PrincipalArn": "arn:aws:iam::000000000000:role/proxy-local" },
          "ForAllValues:StringEquals": { "aws:TagKeys": ["tenant_id"] },
          StringLike: { "aws:RequestTag/tenant_id": "?*" },
        },
      },
    ]);
  });

  test("the model host's role may call and count models, and nothing else", () => {
    const services = statementsOf("proxy-model-host-111111111111-1").flatMap(({ Action }) =>
      Action.map((action) => action.split(":")[0]),
    );
    // The model host's second endpoint only counts.
    expect([...new Set(services)].sort()).toEqual(["bedrock", "bedrock-mantle"]);
  });
});

function statementsOf(policy: string): { Effect: string; Action: string[]; Resource: string[] }[] {
  const declared = [...program.ofType("aws:iam/rolePolicy:RolePolicy"), ...program.ofType("aws:iam/policy:Policy")];
  return JSON.parse(declared.find(({ name }) => name === policy)?.inputs.policy).Statement;
}

test("the distribution and its DNS record are deleted before they are replaced, because only one can have the name", () => {
  for (const type of ["aws:cloudfront/distribution:Distribution", "cloudflare:index/dnsRecord:DnsRecord"]) {
    expect(program.get(type, "proxy").options.deleteBeforeReplace).toBe(true);
  }
});

test("the proxy function's metrics contain the stack's name", () => {
  expect(variables.STACK_NAME).toBe("test");
});
