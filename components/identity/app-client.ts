// A public app client of the user pool: code flow with PKCE, no secret, and a refresh token that changes at each use.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { AppClientRules } from "../../domain/access/app-client.ts";
import { ownAccountScope } from "../../domain/access/scope.ts";

type AppClientArgs = {
  userPool: aws.cognito.UserPool;
  resourceServer: aws.cognito.ResourceServer;
  providers: aws.cognito.IdentityProvider[];
  rules: AppClientRules;
  /** Compared letter by letter. */
  callbackUrls: string[];
  logoutUrls?: string[];
};

/**
 * Cognito's longest: who dies between the answer and storing it may ask again with the old token for that long
 * (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_RefreshTokenRotationType.html).
 */
const retrySeconds = 60;

/**
 * People sign in on the hosted pages alone. No flow given means some that they could sign in by elsewhere, and rotation excludes
 * ALLOW_REFRESH_TOKEN_AUTH (docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html);
 * this one fails for want of its triggers.
 */
const unusableFlow = "ALLOW_CUSTOM_AUTH";

export class AppClient extends pulumi.ComponentResource {
  readonly id: pulumi.Output<string>;
  readonly callbackUrls: string[];
  /** The scopes, as an authorization request names them. */
  readonly scopes: pulumi.Output<string[]>;

  constructor(name: string, args: AppClientArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:AppClient", name, {}, opts);
    this.callbackUrls = args.callbackUrls;
    this.scopes = scopesOf(args);
    const client = this.createClient(name, args);
    this.id = client.id;
    this.createSignInPages(name, client);
    this.registerOutputs({ id: this.id });
  }

  private createClient(name: string, args: AppClientArgs): aws.cognito.UserPoolClient {
    const { userPool, providers, rules, callbackUrls, logoutUrls } = args;
    return new aws.cognito.UserPoolClient(
      name,
      {
        userPoolId: userPool.id,
        generateSecret: false,
        allowedOauthFlowsUserPoolClient: true,
        allowedOauthFlows: ["code"],
        allowedOauthScopes: this.scopes.apply((scopes) => [...scopes, ...(rules.ownAccount ? [ownAccountScope] : [])]),
        callbackUrls,
        ...(logoutUrls && { logoutUrls }),
        supportedIdentityProviders: ["COGNITO", ...providers.map(({ providerName }) => providerName)],
        explicitAuthFlows: [unusableFlow],
        accessTokenValidity: rules.accessMinutes,
        idTokenValidity: rules.accessMinutes,
        refreshTokenValidity: rules.refreshHours,
        tokenValidityUnits: { accessToken: "minutes", idToken: "minutes", refreshToken: "hours" },
        refreshTokenRotation: { feature: "ENABLED", retryGracePeriodSeconds: retrySeconds },
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
      { userPoolId: client.userPoolId, clientId: client.id, useCognitoProvidedValues: true },
      // A client has one style: a second is a ManagedLoginBrandingExistsException (docs.aws.amazon.com/
      // cognito-user-identity-pools/latest/APIReference/API_CreateManagedLoginBranding.html).
      { parent: this, deleteBeforeReplace: true },
    );
  }
}

function scopesOf({ resourceServer, rules }: AppClientArgs): pulumi.Output<string[]> {
  const platform = rules.scopes.map((scope) => pulumi.interpolate`${resourceServer.identifier}/${scope}`);
  return pulumi.all(["openid", "email", "profile", ...platform]);
}
