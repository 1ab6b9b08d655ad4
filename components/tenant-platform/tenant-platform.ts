// The control plane: its function behind an HTTP API on `api.<domain>`.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { Discovery } from "../../domain/access/discovery.ts";
import { control } from "../../handlers/control/contract.ts";
import { apiRoute } from "../api-route.ts";
import { Certificate } from "../certificate.ts";
import type { StackConfig } from "../config.ts";
import { dnsRecord } from "../dns-record.ts";
import type { AppClient } from "../identity/app-client.ts";
import type { Identity } from "../identity/identity.ts";
import { providerNames } from "../identity/identity-providers.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { invokeLink, sendLink, tableLink } from "../link.ts";
import type { McpGateway } from "../mcp-gateway/mcp-gateway.ts";
import { takenUp, takesUp } from "../proxy/survey.ts";
import type { Queue } from "../queue.ts";
import type { Skills } from "../skills/skills.ts";
import { type AskedFunctionLinks, askedFunctions } from "./asked-functions.ts";
import { controlRights } from "./control-rights.ts";
import { ceilingAlarm, freeGrantsVariable } from "./free-grants.ts";
import { mailEnvironment } from "./mail.ts";
import type { Notices } from "./notices.ts";
import { Purge } from "./purge.ts";
import { Reconcile } from "./reconcile.ts";
import { trialCapAtListPrice } from "./trust-terms.ts";
import { Webhook } from "./webhook.ts";

/**
 * For all callers together: without it the API takes 10,000 a second, which is the account's own limit, and each is an execution of Lambda's
 * quota (docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html).
 */
const stageThrottle = { throttlingRateLimit: 200, throttlingBurstLimit: 400 };

type TenantPlatformArgs = {
  config: StackConfig;
  table: aws.dynamodb.Table;
  identity: Identity;
  /** Undefined where the platform sends no mails. */
  notices: Notices | undefined;
  mcpGateway: McpGateway;
  skills: Skills;
};
type ControlArgs = TenantPlatformArgs & { asked: AskedFunctionLinks; setupJobs: Queue; purgeJobs: Queue };

export class TenantPlatform extends pulumi.ComponentResource {
  readonly control: LambdaFunction<typeof control>;
  readonly url: string;
  /** The answer of the discovery route, made of what the program declares. */
  readonly discovery: pulumi.Output<string>;

  constructor(name: string, args: TenantPlatformArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:TenantPlatform", name, {}, opts);
    this.url = `https://api.${args.config.domain}`;
    this.discovery = this.describe(args.config, args.identity);
    const asked = askedFunctions(args, { parent: this });
    const { jobs: setupJobs } = new Reconcile(
      "reconcile",
      { table: args.table, askedFunctions: asked, freeGrants: freeGrantsVariable(args.config) },
      { parent: this },
    );
    const { jobs: purgeJobs } = new Purge(
      "purge",
      {
        table: args.table,
        askedFunctions: asked,
        agentCore: args.mcpGateway.link,
        skillObjects: args.skills.bucket.removing,
      },
      { parent: this },
    );
    this.control = this.createControl({ ...args, asked, setupJobs, purgeJobs });
    ceilingAlarm("control", this.control, { parent: this });
    const api = this.createApi(name);
    // The default route: the function knows its routes and answers what it does not know in the specified shape.
    const route = { routeKey: "$default", function: this.control.function, permissionName: "control" };
    apiRoute(name, { api, ...route }, { parent: this });
    const { stripe } = args.config;
    if (stripe) new Webhook("webhook", { ...args, stripe, api }, { parent: this });
    this.createDomain(name, args.config, api);
    this.registerOutputs({ url: this.url });
  }

  private createControl({
    config,
    table,
    identity,
    mcpGateway,
    skills,
    asked,
    setupJobs,
    purgeJobs,
  }: ControlArgs): LambdaFunction<typeof control> {
    const rights = controlRights();
    return new LambdaFunction(
      "control",
      {
        contract: control,
        reservedConcurrency: config.reservedConcurrency.control,
        catalogFile: config.catalog,
        environment: {
          TABLE_NAME: tableLink(table, { ...rights, get: [...rights.get, ...takenUp(config)] }),
          NEW_MODELS: takesUp(config),
          ...asked,
          AGENTCORE_ARN: mcpGateway.link,
          MCP_URL: mcpGateway.url,
          PROBE_ARN: invokeLink(mcpGateway.probe.arn),
          SPECS_BUCKET: mcpGateway.specs.uploading,
          SKILLS_BUCKET: skills.bucket.serving,
          RUN_QUEUE_URL: sendLink(skills.runJobs.queue),
          TOOL_LOG_GROUP: mcpGateway.toolCalls.searching,
          SETUP_QUEUE_URL: sendLink(setupJobs.queue),
          PURGE_QUEUE_URL: sendLink(purgeJobs.queue),
          USER_POOL_ID: identity.userPool.id,
          CONTROL_CLIENT_IDS: identity.controlClientIds,
          SCOPE_PREFIX: config.names.scopePrefix,
          DEFAULT_MAX_IN_FLIGHT: String(config.limits.maxInFlight),
          PROXY_DOMAIN: `proxy.${config.domain}`,
          VENDOR_SEGMENT: vendorSegment(config),
          DEFAULT_REGION: config.defaultRegion,
          APPROVAL: config.approval,
          MAX_WORKSPACES: String(config.limits.workspaces),
          CONSOLE_ORIGINS: JSON.stringify(consoleOrigins(config)),
          DISCOVERY: this.discovery,
          MAX_SERVICE_ACCOUNTS: String(config.limits.serviceAccounts),
          MAX_INVITATION_MAILS: String(config.limits.invitationMails),
          MODEL_ALIASES: JSON.stringify(config.aliases),
          ...(config.stripe && {
            BILLING_MARKUP: String(config.stripe.markup),
            TRIAL_CAP: trialCapAtListPrice(config),
          }),
          ...freeGrantsVariable(config),
          ...mailEnvironment(config),
        },
      },
      { parent: this },
    );
  }

  private createApi(name: string): aws.apigatewayv2.Api {
    return new aws.apigatewayv2.Api(name, { protocolType: "HTTP", disableExecuteApiEndpoint: true }, { parent: this });
  }

  private describe(config: StackConfig, identity: Identity): pulumi.Output<string> {
    const { names, domain } = config;
    const { userPool, console, tokenHelper, tokenHelperWrite, skills } = identity;
    const vendor = vendorSegment(config);
    const issuer = pulumi.interpolate`https://${userPool.endpoint}`;
    const discovery: Declared<Discovery> = {
      issuer,
      openid_configuration_url: pulumi.interpolate`${issuer}/.well-known/openid-configuration`,
      api_url: this.url,
      auth_url: `https://auth.${domain}`,
      proxy_url: `https://{slug}.proxy.${domain}/${vendor}`,
      vendor,
      region_header: names.regionHeaders[0],
      providers: providerNames(config),
      clients: {
        console: { ...described(console), logout_uris: config.console.logoutUrls },
        token_helper: described(tokenHelper),
        token_helper_write: described(tokenHelperWrite),
        skills: described(skills),
      },
    };
    return pulumi.jsonStringify(discovery);
  }

  private createDomain(name: string, { domain, cloudflareZoneId }: StackConfig, api: aws.apigatewayv2.Api): void {
    const host = `api.${domain}`;
    const certificate = new Certificate(
      `${name}-api`,
      { domainName: host, zoneId: cloudflareZoneId },
      { parent: this },
    );
    const stage = new aws.apigatewayv2.Stage(
      name,
      { apiId: api.id, name: "$default", autoDeploy: true, defaultRouteSettings: stageThrottle },
      { parent: this },
    );
    const domainName = new aws.apigatewayv2.DomainName(
      name,
      {
        domainName: host,
        domainNameConfiguration: {
          certificateArn: certificate.arn,
          endpointType: "REGIONAL",
          securityPolicy: "TLS_1_2",
        },
      },
      { parent: this },
    );
    new aws.apigatewayv2.ApiMapping(
      name,
      { apiId: api.id, domainName: domainName.id, stage: stage.name },
      // A domain has one mapping for each path, and another API is another mapping
      // (docs.aws.amazon.com/apigatewayv2/latest/api-reference/domainnames-domainname-apimappings.html: ConflictException).
      { parent: this, deleteBeforeReplace: true },
    );
    const content = domainName.domainNameConfiguration.targetDomainName;
    dnsRecord(`${name}-api`, { zoneId: cloudflareZoneId, name: host, type: "CNAME", content }, { parent: this });
  }
}

/** A value in which some parts are known only after deployment. The function checks at its start that it is complete. */
type Declared<T> = {
  [Name in keyof T]: T[Name] extends unknown[] | string ? pulumi.Input<T[Name] | undefined> : Declared<T[Name]>;
};

function described({ id, callbackUrls, scopes }: AppClient) {
  return { client_id: id, redirect_uris: callbackUrls, scopes };
}

/** The console's origins are those to which its sign-in returns. */
function consoleOrigins({ console }: StackConfig): string[] {
  return [...new Set(console.callbackUrls.map((url) => new URL(url).origin))];
}

function vendorSegment({ names }: StackConfig): string {
  const [first] = names.vendor;
  if (!first) throw new Error("archway:names.vendor is empty");
  return first;
}
