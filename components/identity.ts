// Who people are: the user pool, its sign-in domain, scopes, app clients and triggers.
import * as aws from "@pulumi/aws";
import type * as cloudflare from "@pulumi/cloudflare";
import * as pulumi from "@pulumi/pulumi";
import { signInAttributes } from "../adapters/dynamodb/schema.ts";
import { type Scope, scopes } from "../domain/access/scope.ts";
import { invitationDays } from "../domain/tenancy/invitation.ts";
import { triggers } from "../handlers/triggers/contract.ts";
import { Certificate } from "./certificate.ts";
import type { StackConfig } from "./config.ts";
import { dnsRecord } from "./dns-record.ts";
import { LambdaFunction } from "./lambda-function.ts";
import { policyDocument, tableLink } from "./link.ts";

type IdentityArgs = { config: StackConfig; table: aws.dynamodb.Table };

type Client = {
  callbackUrls: string[];
  logoutUrls?: string[];
  scopes: Scope[];
};

/** Of a block that is kept for documentation (RFC 5737): the name resolves, and nobody answers there. */
const nobodysAddress = "192.0.2.1";

export class Identity extends pulumi.ComponentResource {
  readonly userPool: aws.cognito.UserPool;
  readonly console: aws.cognito.UserPoolClient;
  readonly tokenHelper: aws.cognito.UserPoolClient;
  readonly triggers: LambdaFunction<typeof triggers>;

  constructor(name: string, args: IdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Identity", name, {}, opts);
    this.triggers = this.createTriggers(name, args);
    this.userPool = this.createUserPool(name, args.config);
    this.allowTriggers(name);
    this.allowLinking(name);
    this.createDomain(name, args.config);
    const resourceServer = this.createResourceServer(name, args.config);
    this.console = this.createClient(`${name}-console`, resourceServer, consoleClient(args.config));
    this.tokenHelper = this.createClient(`${name}-token-helper`, resourceServer, tokenHelperClient(args.config));
    this.createSignInPages(`${name}-console`, this.console);
    this.createSignInPages(`${name}-token-helper`, this.tokenHelper);
    this.registerOutputs({ userPoolId: this.userPool.id });
  }

  /** The app clients whose tokens the control plane takes. */
  get controlClientIds(): pulumi.Output<string> {
    return pulumi.jsonStringify([this.console.id, this.tokenHelper.id]);
  }

  /** The app clients whose tokens may call models. */
  get proxyClientIds(): pulumi.Output<string> {
    return pulumi.jsonStringify([this.tokenHelper.id]);
  }

  private createTriggers(name: string, { config, table }: IdentityArgs): LambdaFunction<typeof triggers> {
    return new LambdaFunction(
      `${name}-triggers`,
      {
        contract: triggers,
        reservedConcurrency: config.reservedConcurrency.triggers,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "user"],
            query: ["user"],
            updateOnly: { user: signInAttributes },
          }),
          PLATFORM_ADMINS: JSON.stringify(config.platformAdmins),
          IDENTITY_PROVIDERS: JSON.stringify([]),
        },
      },
      { parent: this },
    );
  }

  private createUserPool(name: string, config: StackConfig): aws.cognito.UserPool {
    return new aws.cognito.UserPool(
      name,
      {
        userPoolTier: "ESSENTIALS",
        usernameAttributes: ["email"],
        usernameConfiguration: { caseSensitive: false },
        autoVerifiedAttributes: ["email"],
        accountRecoverySetting: { recoveryMechanisms: [{ name: "verified_email", priority: 1 }] },
        passwordPolicy: {
          minimumLength: 12,
          requireLowercase: true,
          requireUppercase: true,
          requireNumbers: true,
          requireSymbols: false,
          temporaryPasswordValidityDays: invitationDays,
        },
        adminCreateUserConfig: { allowAdminCreateUserOnly: false, inviteMessageTemplate: invitation(config) },
        emailConfiguration: mailSender(config),
        lambdaConfig: {
          preSignUp: this.triggers.arn,
          postConfirmation: this.triggers.arn,
          preTokenGenerationConfig: { lambdaArn: this.triggers.arn, lambdaVersion: "V2_0" },
        },
        deletionProtection: "ACTIVE",
      },
      { parent: this, protect: true, retainOnDelete: true },
    );
  }

  private allowTriggers(name: string): void {
    new aws.lambda.Permission(
      `${name}-triggers`,
      {
        action: "lambda:InvokeFunction",
        function: this.triggers.function.name,
        principal: "cognito-idp.amazonaws.com",
        sourceArn: this.userPool.arn,
      },
      { parent: this },
    );
  }

  /** A policy of its own, after the pool: the pool needs the function's ARN, so that the function cannot wait for the pool's. */
  private allowLinking(name: string): void {
    const actions = ["AdminGetUser", "AdminLinkProviderForUser"].map((action) => `cognito-idp:${action}`);
    const policy = policyDocument([{ actions, resources: [this.userPool.arn] }]);
    new aws.iam.RolePolicy(`${name}-linking`, { role: this.triggers.role.name, policy }, { parent: this });
  }

  private createDomain(name: string, config: StackConfig): void {
    const { domain, cloudflareZoneId } = config;
    const host = `auth.${domain}`;
    const parentRecord = config.domainResolves ? [] : [this.createParentRecord(name, config)];
    const certificate = new Certificate(
      `${name}-auth`,
      { domainName: host, zoneId: cloudflareZoneId, region: "us-east-1" },
      { parent: this },
    );
    const userPoolDomain = new aws.cognito.UserPoolDomain(
      name,
      { userPoolId: this.userPool.id, domain: host, certificateArn: certificate.arn, managedLoginVersion: 2 },
      // A pool has one domain, and a domain one pool
      // (docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-add-custom-domain.html).
      { parent: this, dependsOn: parentRecord, deleteBeforeReplace: true },
    );
    const content = userPoolDomain.cloudfrontDistribution;
    dnsRecord(`${name}-auth`, { zoneId: cloudflareZoneId, name: host, type: "CNAME", content }, { parent: this });
  }

  /** Cognito takes no domain whose parent has no A record (repost.aws/knowledge-center/cognito-custom-domain-errors). */
  private createParentRecord(name: string, { domain, cloudflareZoneId }: StackConfig): cloudflare.DnsRecord {
    return dnsRecord(
      `${name}-domain`,
      { zoneId: cloudflareZoneId, name: domain, type: "A", content: nobodysAddress },
      { parent: this },
    );
  }

  private createResourceServer(name: string, { names }: StackConfig): aws.cognito.ResourceServer {
    return new aws.cognito.ResourceServer(
      name,
      {
        userPoolId: this.userPool.id,
        identifier: names.scopePrefix,
        name: "Archway",
        scopes: Object.entries(scopes).map(([scopeName, scopeDescription]) => ({ scopeName, scopeDescription })),
      },
      { parent: this },
    );
  }

  /** A public client: code flow with PKCE, no secret, short access tokens. */
  private createClient(name: string, server: aws.cognito.ResourceServer, client: Client): aws.cognito.UserPoolClient {
    return new aws.cognito.UserPoolClient(
      name,
      {
        userPoolId: this.userPool.id,
        generateSecret: false,
        allowedOauthFlowsUserPoolClient: true,
        allowedOauthFlows: ["code"],
        allowedOauthScopes: [
          "openid",
          "email",
          "profile",
          ...client.scopes.map((scope) => pulumi.interpolate`${server.identifier}/${scope}`),
        ],
        callbackUrls: client.callbackUrls,
        ...(client.logoutUrls && { logoutUrls: client.logoutUrls }),
        supportedIdentityProviders: ["COGNITO"],
        explicitAuthFlows: ["ALLOW_REFRESH_TOKEN_AUTH"],
        accessTokenValidity: 60,
        idTokenValidity: 60,
        refreshTokenValidity: 30,
        tokenValidityUnits: { accessToken: "minutes", idToken: "minutes", refreshToken: "days" },
        enableTokenRevocation: true,
        preventUserExistenceErrors: "ENABLED",
      },
      { parent: this },
    );
  }

  /** Managed login shows no page for a client without a style. */
  private createSignInPages(name: string, client: aws.cognito.UserPoolClient): void {
    new aws.cognito.ManagedLoginBranding(
      name,
      { userPoolId: this.userPool.id, clientId: client.id, useCognitoProvidedValues: true },
      // A client has one style: a second is a ManagedLoginBrandingExistsException (docs.aws.amazon.com/
      // cognito-user-identity-pools/latest/APIReference/API_CreateManagedLoginBranding.html).
      { parent: this, deleteBeforeReplace: true },
    );
  }
}

/** Cognito's own sender stops at 50 mails a day (docs.aws.amazon.com/cognito/latest/developerguide/quotas.html). */
/** Cognito fills the braces in, and sends it as HTML. Its own text says neither where to sign in nor how long it lasts. */
function invitation({ console }: StackConfig) {
  const [address = ""] = console.callbackUrls;
  const lines = [
    "You are invited to a workspace.",
    `Sign in at ${new URL(address).origin} within ${invitationDays} days and choose a password of your own.`,
    "Your username is {username} and your temporary password is {####}",
  ];
  return { emailSubject: "You are invited to a workspace", emailMessage: lines.join("<br>") };
}

function mailSender({ mail }: StackConfig): aws.types.input.cognito.UserPoolEmailConfiguration {
  if (!mail) return { emailSendingAccount: "COGNITO_DEFAULT" };
  return { emailSendingAccount: "DEVELOPER", fromEmailAddress: mail.from, sourceArn: mail.identityArn };
}

function consoleClient({ console }: StackConfig): Client {
  return { callbackUrls: console.callbackUrls, logoutUrls: console.logoutUrls, scopes: ["control:manage"] };
}

function tokenHelperClient({ tokenHelperCallbackUrls }: StackConfig): Client {
  return { callbackUrls: tokenHelperCallbackUrls, scopes: ["control:manage", "proxy:invoke"] };
}
