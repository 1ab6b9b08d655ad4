// The declared app clients: their settings, and Cognito's rules for them.
import * as z from "zod";
import { noBehaviour, readDeclared } from "./declared.ts";

const unit = z.enum(["seconds", "minutes", "hours", "days"]);

/** The defaults are Cognito's. */
const declaredClient = z.strictObject({
  id: z.string(),
  name: z.string(),
  generateSecret: z.boolean().default(false),
  clientSecret: z.string().optional(),
  userPoolId: z.string(),
  region: noBehaviour,
  allowedOauthFlowsUserPoolClient: z.boolean().default(false),
  allowedOauthFlows: z.array(z.literal("code")).default([]),
  allowedOauthScopes: z.array(z.string()).default([]),
  callbackUrls: z.array(z.string()).default([]),
  logoutUrls: z.array(z.string()).default([]),
  supportedIdentityProviders: z.array(z.string()).default([]),
  // People sign in on the hosted pages alone, so that a flow allows nothing here.
  explicitAuthFlows: z.array(z.enum(["ALLOW_CUSTOM_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"])).optional(),
  accessTokenValidity: z.int().default(0),
  idTokenValidity: z.int().default(0),
  refreshTokenValidity: z.int().default(0),
  tokenValidityUnits: z
    .strictObject({
      accessToken: unit.default("hours"),
      idToken: unit.default("hours"),
      refreshToken: unit.default("days"),
    })
    .prefault({}),
  enableTokenRevocation: z.literal(true).default(true),
  refreshTokenRotation: z
    .strictObject({
      feature: z.enum(["ENABLED", "DISABLED"]),
      retryGracePeriodSeconds: z.int().min(0).max(60).default(0),
    })
    .optional(),
  // Cognito's default LEGACY, which tells strangers who has an account, is not emulated.
  preventUserExistenceErrors: z.literal("ENABLED"),
});

export type ClientSettings = Omit<
  z.output<typeof declaredClient>,
  "id" | "name" | "generateSecret" | "clientSecret" | "userPoolId" | "region"
>;

export type AppClient = {
  id: string;
  name: string;
  /** A public client has none. */
  secret?: string;
  settings: ClientSettings;
};

/** Tells whether the scopes and providers that a client names exist. */
export type References = { scopeExists(scope: string): boolean; providerExists(name: string): boolean };

/**
 * The app clients by id.
 * @param declared inputs and outputs of each declared `aws.cognito.UserPoolClient`.
 * @throws Error that names what is not emulated, or what Cognito would refuse.
 */
export function readClients(declared: unknown[], references: References): ReadonlyMap<string, AppClient> {
  const clients = declared.map((inputs) => clientOf(inputs, references));
  return new Map(clients.map((client) => [client.id, client]));
}

function clientOf(inputs: unknown, references: References): AppClient {
  const read = readDeclared("app client", declaredClient, inputs);
  const { id, name, generateSecret, clientSecret, userPoolId: _, region: __, ...settings } = read;
  if (generateSecret && !clientSecret) throw new Error(`Cognito: app client ${name} has no clientSecret`);
  const problem = problemOf(settings, references);
  if (problem !== undefined) throw new Error(`Cognito: app client ${name}\n  ${problem}`);
  return { id, name, settings, ...(clientSecret && { secret: clientSecret }) };
}

const unitSeconds = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

/** The lifetimes of the client's tokens in seconds. A setting of zero means the default, as in Cognito. */
export function lifetimes({ tokenValidityUnits: units, ...settings }: ClientSettings) {
  return {
    access: settings.accessTokenValidity * unitSeconds[units.accessToken] || unitSeconds.hours,
    id: settings.idTokenValidity * unitSeconds[units.idToken] || unitSeconds.hours,
    refresh: settings.refreshTokenValidity * unitSeconds[units.refreshToken] || 30 * unitSeconds.days,
  };
}

/** The client's rotation of refresh tokens, if it is on. */
export function rotation({ settings }: AppClient): { graceSeconds: number } | undefined {
  const { refreshTokenRotation } = settings;
  if (refreshTokenRotation?.feature !== "ENABLED") return undefined;
  return { graceSeconds: refreshTokenRotation.retryGracePeriodSeconds };
}

/** Whether the client may use the OAuth endpoints. */
export function allowsCodeFlow({ settings }: AppClient): boolean {
  return settings.allowedOauthFlowsUserPoolClient && settings.allowedOauthFlows.includes("code");
}

/** The reason for which Cognito would refuse the settings, if any. */
function problemOf(settings: ClientSettings, references: References): string | undefined {
  const { allowedOauthFlows: flows, allowedOauthScopes: scopes, callbackUrls, logoutUrls } = settings;
  if (flows.length > 0 && callbackUrls.length === 0) return "code flow needs a callback URL.";
  if (flows.length > 0 && scopes.length === 0) return "OAuth flows need at least one allowed scope.";
  const scope = scopes.find((name) => !references.scopeExists(name));
  if (scope) return `Invalid scope requested: ${scope}`;
  const provider = settings.supportedIdentityProviders.find((name) => !references.providerExists(name));
  if (provider) return `The provider ${provider} does not exist for this user pool.`;
  if (!settings.supportedIdentityProviders.includes("COGNITO")) {
    return "A client without the provider COGNITO is not emulated.";
  }
  const url = [...callbackUrls, ...logoutUrls].find((url) => !allowedUrl(url));
  if (url) return `Invalid URL ${url}: https, http on this machine, or the scheme of an app; no fragment.`;
  const { access, id, refresh } = lifetimes(settings);
  const inRange = (seconds: number, least: number, most: number) => seconds >= least && seconds <= most;
  if (!inRange(access, 300, 86_400)) return "Access tokens live between 5 minutes and 1 day.";
  if (!inRange(id, 300, 86_400)) return "ID tokens live between 5 minutes and 1 day.";
  if (!inRange(refresh, 3600, 315_360_000)) return "Refresh tokens live between 60 minutes and 10 years.";
  return undefined;
}

/** Cognito's rule for callback, logout and resource URLs: TLS, this machine, or an app's own scheme, in ASCII. */
export function allowedUrl(text: string): boolean {
  if (!URL.canParse(text) || !/^[\x21\x22\x24-\x7e]+$/.test(text)) return false;
  const { protocol, hostname } = new URL(text);
  if (protocol === "http:") return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return protocol === "https:" || (/^[a-z][a-z0-9.+-]*:\/\//i.test(text) && protocol !== "javascript:");
}
