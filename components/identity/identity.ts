// The identity of people: the user pool with its triggers, sign-in domain, scopes, external providers and app clients.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { signInAttributes } from "../../adapters/dynamodb/people/user.record.ts";
import { appClients } from "../../domain/access/app-client.ts";
import type { RegisteredClient } from "../../domain/access/registered-client.ts";
import { scopes } from "../../domain/access/scope.ts";
import { triggers } from "../../handlers/triggers/contract.ts";
import type { StackConfig } from "../config.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { policyDocument, tableLink } from "../link.ts";
import { mailEnvironment } from "../tenant-platform/mail.ts";
import { AppClient } from "./app-client.ts";
import { identityProviders, providerNames } from "./identity-providers.ts";
import { registerClient } from "./registered-client.ts";
import { SignInDomain } from "./sign-in-domain.ts";
import { signInSettings } from "./user-pool.ts";

type IdentityArgs = { config: StackConfig; table: aws.dynamodb.Table };

export class Identity extends pulumi.ComponentResource {
  readonly userPool: aws.cognito.UserPool;
  readonly console: AppClient;
  readonly tokenHelper: AppClient;
  readonly tokenHelperWrite: AppClient;
  readonly skills: AppClient;
  readonly triggers: LambdaFunction<typeof triggers>;

  constructor(name: string, args: IdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Identity", name, {}, opts);
    this.triggers = this.createTriggers(args);
    this.userPool = this.createUserPool(name, args.config);
    this.allowTriggers();
    this.allowAccounts(name);
    const { userPool } = this;
    new SignInDomain(name, { config: args.config, userPool }, { parent: this });
    const resourceServer = this.createResourceServer(name, args.config);
    const providers = identityProviders(name, userPool, args.config, { parent: this });
    const client = (use: RegisteredClient["use"], urls: { callbackUrls: string[]; logoutUrls?: string[] }) => {
      const clientName = `${name}-${use.replaceAll("_", "-")}`;
      const rules = appClients[use];
      const made = new AppClient(clientName, { userPool, resourceServer, providers, rules, ...urls }, { parent: this });
      // The triggers find the clients by records: their function must exist before the pool, and so before the pool's clients.
      registerClient(clientName, { table: args.table, client: made, use }, { parent: this });
      return made;
    };
    this.console = client("console", args.config.console);
    this.tokenHelper = client("token_helper", { callbackUrls: args.config.tokenHelperCallbackUrls });
    this.tokenHelperWrite = client("token_helper_write", { callbackUrls: args.config.tokenHelperCallbackUrls });
    this.skills = client("skills", { callbackUrls: args.config.skillsCallbackUrls });
    this.registerOutputs({ userPoolId: userPool.id });
  }

  /** The app clients whose tokens the control plane takes. */
  get controlClientIds(): pulumi.Output<string> {
    return pulumi.jsonStringify([this.console.id, this.tokenHelper.id, this.tokenHelperWrite.id, this.skills.id]);
  }

  /** The app clients whose tokens may call models. */
  get proxyClientIds(): pulumi.Output<string> {
    return pulumi.jsonStringify([this.tokenHelper.id]);
  }

  private createTriggers({ config, table }: IdentityArgs): LambdaFunction<typeof triggers> {
    return new LambdaFunction(
      "triggers",
      {
        contract: triggers,
        reservedConcurrency: config.reservedConcurrency.triggers,
        // A sign-in is refused by an error, which Lambda counts.
        toleratedErrors: 20,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["user"],
            batchGet: ["tenant", "appClient", "connectorClient"],
            query: ["user"],
            put: ["signOut", "audit"],
            updateOnly: { user: signInAttributes },
            index: ["profile"],
          }),
          // The triggers send one kind of mail, to people who must wait for approval; without approval they need no sender.
          ...mailEnvironment(config.approval === "manual" ? config : { ...config, mail: undefined }),
          PLATFORM_ADMINS: JSON.stringify(config.platformAdmins),
          PLATFORM_SUPPORT: JSON.stringify(config.platformSupport),
          APPROVAL: config.approval,
          SCOPE_PREFIX: config.names.scopePrefix,
          IDENTITY_PROVIDERS: JSON.stringify(providerNames(config)),
        },
      },
      { parent: this },
    );
  }

  private createUserPool(name: string, config: StackConfig): aws.cognito.UserPool {
    return new aws.cognito.UserPool(
      name,
      {
        ...signInSettings(config),
        lambdaConfig: {
          preSignUp: this.triggers.arn,
          postConfirmation: this.triggers.arn,
          customMessage: this.triggers.arn,
          preTokenGenerationConfig: { lambdaArn: this.triggers.arn, lambdaVersion: "V2_0" },
        },
        deletionProtection: "ACTIVE",
      },
      { parent: this, protect: true, retainOnDelete: true },
    );
  }

  private allowTriggers(): void {
    new aws.lambda.Permission(
      "triggers",
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
  private allowAccounts(name: string): void {
    const actions = ["AdminGetUser", "AdminLinkProviderForUser", "AdminUserGlobalSignOut"].map(
      (action) => `cognito-idp:${action}`,
    );
    const policy = policyDocument([{ actions, resources: [this.userPool.arn] }]);
    new aws.iam.RolePolicy(`${name}-accounts`, { role: this.triggers.role.name, policy }, { parent: this });
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
}
