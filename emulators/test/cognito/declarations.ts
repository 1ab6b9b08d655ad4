// A pool, its clients and its providers, as the program declares them.
export const region = "eu-central-1";
export const poolId = "eu-central-1_abc123";
export const poolArn = `arn:aws:cognito-idp:${region}:000000000000:userpool/${poolId}`;
export const callback = "http://127.0.0.1:9999/callback";
export const password = "Correct-horse-1";

/** The declared pool as the program gives it: its inputs and what the provider computes. */
export const declaredPool = {
  id: poolId,
  name: "pool",
  arn: poolArn,
  userPoolTier: "ESSENTIALS",
  usernameAttributes: ["email"],
  usernameConfiguration: { caseSensitive: false },
  autoVerifiedAttributes: ["email"],
  passwordPolicy: { minimumLength: 12, requireLowercase: true, requireUppercase: true, requireNumbers: true },
  lambdaConfig: {
    preSignUp: "arn:aws:lambda:eu-central-1:000000000000:function:triggers",
    postConfirmation: "arn:aws:lambda:eu-central-1:000000000000:function:triggers",
    preTokenGenerationConfig: {
      lambdaArn: "arn:aws:lambda:eu-central-1:000000000000:function:triggers",
      lambdaVersion: "V2_0",
    },
  },
};

/** The pool with a trigger for the words of its mails. */
export const poolWithMessages = {
  ...declaredPool,
  lambdaConfig: { ...declaredPool.lambdaConfig, customMessage: declaredPool.lambdaConfig.preSignUp },
};

export const publicClient = {
  id: "public",
  name: "token-helper",
  userPoolId: poolId,
  allowedOauthFlowsUserPoolClient: true,
  allowedOauthFlows: ["code"],
  allowedOauthScopes: ["openid", "email", "profile", "platform/proxy:invoke"],
  callbackUrls: [callback, "myapp://signed-in"],
  logoutUrls: ["https://console.example.com/bye"],
  supportedIdentityProviders: ["COGNITO", "Google"],
  preventUserExistenceErrors: "ENABLED",
};

export const secretClient = { ...publicClient, id: "confidential", name: "connector", clientSecret: "s3cr3t:+/%" };

export const declaredServer = {
  id: `${poolId}|platform`,
  identifier: "platform",
  name: "Platform",
  userPoolId: poolId,
  scopes: [
    { scopeName: "proxy:invoke", scopeDescription: "Call models" },
    { scopeName: "control:manage", scopeDescription: "Manage" },
  ],
};

export const google = {
  id: `${poolId}:Google`,
  providerName: "Google",
  providerType: "Google",
  userPoolId: poolId,
  attributeMapping: { email: "email", email_verified: "email_verified", username: "sub" },
  providerDetails: { client_id: "x" },
};
