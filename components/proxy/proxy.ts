// The model proxy: a streaming function behind one wildcard distribution, and the role with which it calls models.
import { createHash } from "node:crypto";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { creditAttributes } from "../../adapters/dynamodb/schema.ts";
import { unsettledMessage } from "../../domain/budget/unsettled.ts";
import { maxBodyBytes, originReadTimeoutSeconds, proxy } from "../../handlers/proxy/contract.ts";
import { alarmAbove, countedLines } from "../alarm.ts";
import { edgeCodeProblems } from "../aws-limits.ts";
import { Certificate } from "../certificate.ts";
import { consoleUrl, type StackConfig } from "../config.ts";
import { note } from "../config-error.ts";
import { dnsRecord } from "../dns-record.ts";
import type { Identity } from "../identity/identity.ts";
import { LambdaFunction, lambdaRole } from "../lambda-function.ts";
import { roleLink, sendLink, tableLink } from "../link.ts";
import type { Queue } from "../queue.ts";
import { ModelHost } from "./model-host.ts";
import { viewerRequest } from "./viewer-request.ts";

/** The caller is told of a silent model host this much before CloudFront would cut the answer. */
const idleMarginSeconds = 5;

type ProxyArgs = { config: StackConfig; table: aws.dynamodb.Table; identity: Identity; unsettled: Queue };

export class Proxy extends pulumi.ComponentResource {
  readonly function: LambdaFunction<typeof proxy>;
  readonly modelHost: ModelHost;
  readonly url: string;

  constructor(name: string, args: ProxyArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Proxy", name, {}, opts);
    this.url = `https://<slug>.proxy.${args.config.domain}`;
    const role = lambdaRole(name, { parent: this });
    this.modelHost = new ModelHost(`${name}-model-host`, { config: args.config, callerRole: role }, { parent: this });
    this.function = this.createFunction(name, args, role);
    const functionUrl = this.createFunctionUrl(name);
    const edgeFunction = this.createEdgeFunction(name);
    this.createLossAlarm(name);
    this.createDistribution(name, args.config, functionUrl, edgeFunction);
    this.registerOutputs({ url: this.url });
  }

  private createFunction(
    name: string,
    { config, table, identity, unsettled }: ProxyArgs,
    role: aws.iam.Role,
  ): LambdaFunction<typeof proxy> {
    const { names, limits } = config;
    return new LambdaFunction(
      name,
      {
        contract: proxy,
        role,
        catalogFile: config.catalog,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["slugReservation", "signOut", "grant", "apiKey", "spending", "credit", "ledger"],
            put: ["ledger", "adjustment", "lastUse"],
            update: ["spending", "waitingRoom"],
            updateOnly: { credit: creditAttributes },
            condition: ["report"],
            index: ["slug"],
          }),
          MODEL_HOST_ROLE_ARN: roleLink(this.modelHost.role.arn),
          USER_POOL_ID: identity.userPool.id,
          PROXY_CLIENT_IDS: identity.proxyClientIds,
          ORIGIN_SECRET_HASHES: originSecretHashes(config),
          PROXY_DOMAIN: `proxy.${config.domain}`,
          CONSOLE_URL: consoleUrl(config),
          SCOPE_PREFIX: names.scopePrefix,
          VENDOR_SEGMENTS: JSON.stringify(names.vendor),
          SESSION_HEADERS: JSON.stringify(names.sessionHeaders.map((header) => header.toLowerCase())),
          REGION_HEADERS: JSON.stringify(names.regionHeaders.map((header) => header.toLowerCase())),
          DEFAULT_BURST: String(limits.burst),
          DEFAULT_PER_MINUTE: String(limits.perMinute),
          DEFAULT_MAX_IN_FLIGHT: String(limits.maxInFlight),
          MAX_WAITING: String(limits.maxWaiting),
          UNSETTLED_QUEUE_URL: sendLink(unsettled.queue),
          IDLE_TIMEOUT_SECONDS: String(originReadTimeoutSeconds - idleMarginSeconds),
          PING: config.ping ? "true" : "false",
          STACK_NAME: pulumi.getStack(),
          ENFORCE_FREE_CREDIT: config.enforceFreeCredit ? "true" : "false",
          MODEL_ALIASES: JSON.stringify(config.aliases),
          BUDGET_STATUS: config.budgetStatus,
          ASSISTANT_STATUS: config.assistantStatus,
        },
      },
      { parent: this },
    );
  }

  /** Neither the table nor the queue took what a call has used: it is in the log alone, and nothing replays it. */
  private createLossAlarm(name: string): void {
    const { logGroup } = this.function;
    const metric = countedLines(`${name}-unsettled`, { logGroup, text: unsettledMessage }, { parent: this });
    const description = `Usage is in the log of ${name} alone: replay it (docs/operations.md, "Usage that could not be settled")`;
    alarmAbove(`${name}-unsettled`, { description, metric }, { parent: this });
  }

  /** Open to all, and useless without the origin's secret, which the handler checks first. */
  private createFunctionUrl(name: string): aws.lambda.FunctionUrl {
    const url = new aws.lambda.FunctionUrl(
      name,
      { functionName: this.function.function.name, authorizationType: "NONE", invokeMode: "RESPONSE_STREAM" },
      { parent: this },
    );
    // Since October 2025 a function URL needs both permissions (docs.aws.amazon.com/lambda/latest/dg/urls-auth.html).
    new aws.lambda.Permission(
      `${name}-url`,
      {
        action: "lambda:InvokeFunctionUrl",
        function: this.function.function.name,
        principal: "*",
        functionUrlAuthType: "NONE",
      },
      { parent: this },
    );
    new aws.lambda.Permission(
      `${name}-url-invoke`,
      {
        action: "lambda:InvokeFunction",
        function: this.function.function.name,
        principal: "*",
        invokedViaFunctionUrl: true,
      },
      { parent: this },
    );
    return url;
  }

  private createEdgeFunction(name: string): aws.cloudfront.Function {
    const code = viewerRequest(maxBodyBytes);
    note(edgeCodeProblems(name, code));
    return new aws.cloudfront.Function(name, { runtime: "cloudfront-js-2.0", code, publish: true }, { parent: this });
  }

  private createDistribution(
    name: string,
    config: StackConfig,
    functionUrl: aws.lambda.FunctionUrl,
    edgeFunction: aws.cloudfront.Function,
  ): void {
    const host = `*.proxy.${config.domain}`;
    const certificate = new Certificate(
      `${name}-wildcard`,
      { domainName: host, zoneId: config.cloudflareZoneId, region: "us-east-1" },
      { parent: this },
    );
    const distribution = new aws.cloudfront.Distribution(
      name,
      {
        enabled: true,
        aliases: [host],
        httpVersion: "http2and3",
        isIpv6Enabled: true,
        priceClass: "PriceClass_All",
        origins: [proxyOrigin(config, functionUrl)],
        defaultCacheBehavior: {
          targetOriginId: "proxy",
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
          functionAssociations: [{ eventType: "viewer-request", functionArn: edgeFunction.arn }],
        },
        customErrorResponses: neverCachedErrors,
        restrictions: { geoRestriction: { restrictionType: "none" } },
        viewerCertificate: {
          acmCertificateArn: certificate.arn,
          sslSupportMethod: "sni-only",
          minimumProtocolVersion: "TLSv1.2_2021",
        },
      },
      // An alias belongs to one distribution: a second one is a CNAMEAlreadyExists
      // (docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/CNAMEs.html).
      { parent: this, deleteBeforeReplace: true },
    );
    const { domainName: content } = distribution;
    dnsRecord(name, { zoneId: config.cloudflareZoneId, name: host, type: "CNAME", content }, { parent: this });
  }
}

function proxyOrigin({ originSecret }: StackConfig, functionUrl: aws.lambda.FunctionUrl) {
  return {
    originId: "proxy",
    domainName: functionUrl.functionUrl.apply((url) => new URL(url).hostname),
    customHeaders: [{ name: "x-origin-secret", value: pulumi.secret(originSecret) }],
    customOriginConfig: {
      httpPort: 80,
      httpsPort: 443,
      originProtocolPolicy: "https-only",
      originSslProtocols: ["TLSv1.2"],
      originReadTimeout: originReadTimeoutSeconds,
      originKeepaliveTimeout: 60,
    },
  };
}

/** CloudFront would cache an error for ten seconds, and its cache key has no viewer host: one tenant's would reach another. */
const neverCachedErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504].map((errorCode) => ({
  errorCode,
  errorCachingMinTtl: 0,
}));

function managedPolicy(policy: pulumi.Output<{ id?: string }>): pulumi.Output<string> {
  return policy.apply(({ id }) => {
    if (!id) throw new Error("CloudFront has no managed policy of this name");
    return id;
  });
}

/** The function gets hashes only: a secret of 32 characters or more cannot be found from them. */
function originSecretHashes({ originSecret, previousOriginSecret }: StackConfig): string {
  const secrets = previousOriginSecret ? [originSecret, previousOriginSecret] : [originSecret];
  return JSON.stringify(secrets.map((secret) => createHash("sha256").update(secret).digest("hex")));
}
