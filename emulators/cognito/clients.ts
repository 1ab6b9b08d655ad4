// App clients: their settings, Cognito's rules for them, and their collection.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { AwsError } from "../aws/service.ts";
import type { Collection } from "../store.ts";
import { type Declarable, deploy, noBehaviour, readDeclared } from "./declared.ts";
import { invalidParameter } from "./refusals.ts";

const unit = z.enum(["seconds", "minutes", "hours", "days"]);

/** The settings in Pulumi's names; a call's names are mapped onto them. The defaults are Cognito's. */
export const clientSettings = z.strictObject({
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

const declaredClient = clientSettings.extend({
  id: z.string(),
  name: z.string(),
  generateSecret: z.boolean().default(false),
  clientSecret: z.string().optional(),
  userPoolId: z.string(),
  region: noBehaviour,
});

export type ClientSettings = z.output<typeof clientSettings>;

export type ClientSecret = { id: string; value: string; createdAt: number };

export type AppClient = Declarable & {
  name: string;
  /** Two at the most, oldest first. A public client has none. */
  secrets: ClientSecret[];
  settings: ClientSettings;
  createdAt: number;
  modifiedAt: number;
};

/** Tells whether the scopes and providers that a client names exist. */
export type References = { scopeExists(scope: string): boolean; providerExists(name: string): boolean };

export class Clients {
  readonly #stored: Collection<AppClient>;
  readonly #now: () => number;
  readonly #references: References;

  /** @param declared inputs and outputs of each declared `aws.cognito.UserPoolClient`. */
  constructor(stored: Collection<AppClient>, now: () => number, references: References, declared: unknown[]) {
    this.#stored = stored;
    this.#now = now;
    this.#references = references;
    const clients = declared.map((inputs) => this.#declared(inputs));
    deploy(stored, clients);
  }

  #declared(inputs: unknown): AppClient {
    const read = readDeclared("app client", declaredClient, inputs);
    const { id, name, generateSecret, clientSecret, userPoolId: _, region: __, ...settings } = read;
    if (generateSecret && !clientSecret) throw new Error(`Cognito: app client ${name} has no clientSecret`);
    const times = { createdAt: this.#now(), modifiedAt: this.#now() };
    const secrets = clientSecret ? [aSecret(id, clientSecret, this.#now())] : [];
    const client = { id, declared: true, name, settings, secrets, ...times };
    try {
      checkSettings(client, this.#references);
    } catch (error) {
      throw new Error(`Cognito: app client ${name}\n  ${(error as Error).message}`);
    }
    return client;
  }

  find(id: string): AppClient | undefined {
    return this.#stored.get(id);
  }

  /** @throws AwsError ResourceNotFoundException */
  get(id: string): AppClient {
    const client = this.find(id);
    if (!client) throw new AwsError("ResourceNotFoundException", `User pool client ${id} does not exist.`);
    return client;
  }

  /** @throws AwsError if the settings contradict each other or name what does not exist. */
  create(name: string, settings: ClientSettings, secret: string | undefined): AppClient {
    const times = { createdAt: this.#now(), modifiedAt: this.#now() };
    const id = randomText(26);
    const secrets = secret === undefined ? [] : [aSecret(id, secret, this.#now())];
    const client = { id, declared: false, name, settings, secrets, ...times };
    checkSettings(client, this.#references);
    if (this.all().length >= mostClients) {
      throw new AwsError("LimitExceededException", `The user pool has its ${mostClients} app clients.`);
    }
    this.#stored.put(client.id, client);
    return client;
  }

  /** @throws AwsError if the settings contradict each other or name what does not exist. */
  update(client: AppClient, name: string, settings: ClientSettings): AppClient {
    const updated = { ...client, name, settings, modifiedAt: this.#now() };
    checkSettings(updated, this.#references);
    this.#stored.put(client.id, updated);
    return updated;
  }

  all(): AppClient[] {
    return this.#stored.all();
  }

  /**
   * Adds a second secret, which counts beside the first.
   * @throws AwsError for a third, and for a client that was made without one.
   */
  addSecret(client: AppClient, value: string): ClientSecret {
    if (client.secrets.length === 0) throw invalidParameter("A public client has no secret.");
    if (client.secrets.length >= mostSecrets) {
      throw new AwsError("LimitExceededException", `The client has its ${mostSecrets} secrets.`);
    }
    const last = client.secrets.at(-1)?.createdAt ?? 0;
    const secret = aSecret(client.id, value, Math.max(this.#now(), last + 1));
    this.#save({ ...client, secrets: [...client.secrets, secret] });
    return secret;
  }

  /** @throws AwsError for a secret that is not there, and for the last one. */
  deleteSecret(client: AppClient, id: string): void {
    if (!client.secrets.some((secret) => secret.id === id)) {
      throw new AwsError("ResourceNotFoundException", `Client secret ${id} does not exist.`);
    }
    if (client.secrets.length === 1) throw invalidParameter("The last secret of a client cannot be deleted.");
    this.#save({ ...client, secrets: client.secrets.filter((secret) => secret.id !== id) });
  }

  #save(client: AppClient): void {
    this.#stored.put(client.id, { ...client, modifiedAt: this.#now() });
  }

  delete(id: string): void {
    this.#stored.delete(id);
  }
}

/** "Apps per user pool", adjustable (docs.aws.amazon.com/cognito/latest/developerguide/quotas.html). */
const mostClients = 1_000;

/** docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AddUserPoolClientSecret.html */
const mostSecrets = 2;

/** The id's form is the API reference's: the client's id and the second of the creation. */
function aSecret(clientId: string, value: string, createdAt: number): ClientSecret {
  return { id: `${clientId}--${createdAt}`, value, createdAt };
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

function checkSettings({ settings }: AppClient, references: References): void {
  const { allowedOauthFlows: flows, allowedOauthScopes: scopes, callbackUrls, logoutUrls } = settings;
  const oauthError = (message: string) => new AwsError("InvalidOAuthFlowException", message);
  if (flows.length > 0 && callbackUrls.length === 0) throw oauthError("code flow needs a callback URL.");
  if (flows.length > 0 && scopes.length === 0) throw oauthError("OAuth flows need at least one allowed scope.");
  const scope = scopes.find((name) => !references.scopeExists(name));
  if (scope) throw new AwsError("ScopeDoesNotExistException", `Invalid scope requested: ${scope}`);
  const provider = settings.supportedIdentityProviders.find((name) => !references.providerExists(name));
  if (provider) throw invalidParameter(`The provider ${provider} does not exist for this user pool.`);
  if (!settings.supportedIdentityProviders.includes("COGNITO")) {
    throw invalidParameter("A client without the provider COGNITO is not emulated.");
  }
  const url = [...callbackUrls, ...logoutUrls].find((url) => !allowedUrl(url));
  if (url)
    throw invalidParameter(`Invalid URL ${url}: https, http on this machine, or the scheme of an app; no fragment.`);
  checkLifetimes(settings);
}

function checkLifetimes(settings: ClientSettings): void {
  const { access, id, refresh } = lifetimes(settings);
  const inRange = (seconds: number, least: number, most: number) => seconds >= least && seconds <= most;
  if (!inRange(access, 300, 86_400)) throw invalidParameter("Access tokens live between 5 minutes and 1 day.");
  if (!inRange(id, 300, 86_400)) throw invalidParameter("ID tokens live between 5 minutes and 1 day.");
  if (!inRange(refresh, 3600, 315_360_000))
    throw invalidParameter("Refresh tokens live between 60 minutes and 10 years.");
}

/** Cognito's rule for callback, logout and resource URLs: TLS, this machine, or an app's own scheme, in ASCII. */
export function allowedUrl(text: string): boolean {
  if (!URL.canParse(text) || !/^[\x21\x22\x24-\x7e]+$/.test(text)) return false;
  const { protocol, hostname } = new URL(text);
  // Names below localhost are of the local stack alone, where the edge plays TLS: on AWS they would be refused.
  if (protocol === "http:" && hostname.endsWith(".localhost")) return true;
  if (protocol === "http:") return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return protocol === "https:" || (/^[a-z][a-z0-9.+-]*:\/\//i.test(text) && protocol !== "javascript:");
}

/** A secret as Cognito makes it. */
export function generatedSecret(): string {
  return randomText(51);
}

/** A random text of lower-case letters and digits. */
function randomText(length: number): string {
  return BigInt(`0x1${randomBytes(48).toString("hex")}`)
    .toString(36)
    .slice(-length);
}
