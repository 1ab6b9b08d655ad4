// The user pool of Cognito's endpoints: its declarations, and everything that is kept.
import { accountId } from "../aws/account.ts";
import type { Mail } from "../mailbox.ts";
import type { Store } from "../store.ts";
import { Authentications } from "./authentications.ts";
import { Clients } from "./clients.ts";
import { type ExternalProvider, readExternalProviders } from "./external-providers.ts";
import { SigningKeys } from "./keys.ts";
import type { AuthorizationCode, BrowserSession, Challenge } from "./people/sign-in-state.ts";
import { Users } from "./people/users.ts";
import { ResourceServers } from "./resource-servers.ts";
import { Secrets } from "./secrets.ts";
import { type PoolSettings, readPool } from "./settings.ts";
import { type InvokeTrigger, Triggers } from "./triggers.ts";

/** The declared resources, each with its inputs and outputs in Pulumi's names, `id` included. */
export type DeclaredPool = {
  /** `aws.cognito.UserPool` */
  pool: unknown;
  /** Each `aws.cognito.UserPoolClient`. */
  clients: unknown[];
  /** Each `aws.cognito.ResourceServer`. */
  resourceServers: unknown[];
  /** Each `aws.cognito.IdentityProvider`. */
  identityProviders?: unknown[];
};

/** A host of the sign-in pages. The second version shows pages only for clients with a style. */
export type SignInDomain = { host: string; managedLoginVersion: number };

export type PoolOptions = DeclaredPool & {
  store: Store;
  clock: { now(): number };
  region: string;
  /** The sign-in host, e.g. `auth.localhost`. */
  domain: string;
  /** All sign-in hosts; only `domain`, with pages for every client, unless given. */
  domains?: SignInDomain[];
  /** The ids of the clients that have a managed login style. */
  styledClients?: string[];
  invokeTrigger: InvokeTrigger;
  sendMail: (mail: Mail) => void | Promise<void>;
  /** The time until a trigger is called again; Cognito's 5 seconds unless given. */
  triggerTimeoutMs?: number;
};

export class Pool {
  readonly settings: PoolSettings;
  readonly id: string;
  readonly region: string;
  readonly arn: string;
  /** The claim `iss`. */
  readonly issuer: string;
  readonly domain: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sendMail: (mail: Mail) => void | Promise<void>;
  readonly providers: Map<string, ExternalProvider>;
  readonly resourceServers: ResourceServers;
  readonly clients: Clients;
  readonly users: Users;
  readonly triggers: Triggers;
  readonly keys: SigningKeys;
  readonly authentications: Authentications;
  readonly codes: Secrets<AuthorizationCode>;
  readonly browserSessions: Secrets<BrowserSession>;
  readonly challenges: Secrets<Challenge>;
  readonly #domains: SignInDomain[];
  readonly #styledClients: string[];

  /** @throws Error that lists inputs that are not emulated or that Cognito would refuse. */
  constructor(options: PoolOptions) {
    const { store, clock, region } = options;
    this.settings = readPool(options.pool);
    this.id = this.settings.id;
    this.region = region;
    this.arn = `arn:aws:cognito-idp:${region}:${accountId}:userpool/${this.id}`;
    this.issuer = `https://cognito-idp.${region}.amazonaws.com/${this.id}`;
    this.domain = options.domain;
    this.now = () => clock.now();
    this.sendMail = options.sendMail;
    this.providers = readExternalProviders(options.identityProviders ?? []);
    this.resourceServers = new ResourceServers(options.resourceServers);
    const references = {
      scopeExists: (scope: string) => this.resourceServers.scopeExists(scope),
      providerExists: (name: string) => name === "COGNITO" || this.providers.has(name),
    };
    this.clients = new Clients(store.collection("cognito/client"), this.now, references, options.clients);
    this.users = new Users(store.collection("cognito/user"), this.now);
    this.triggers = new Triggers({
      settings: this.settings,
      region,
      invoke: options.invokeTrigger,
      timeoutMs: options.triggerTimeoutMs ?? 5000,
    });
    this.keys = new SigningKeys(store.collection("cognito/key"));
    this.authentications = new Authentications(store, this.now);
    this.codes = new Secrets(store.collection("cognito/code"), this.now);
    this.browserSessions = new Secrets(store.collection("cognito/browser-session"), this.now);
    this.challenges = new Secrets(store.collection("cognito/challenge"), this.now);
    this.#domains = options.domains ?? [];
    this.#styledClients = options.styledClients ?? [];
  }

  /** Whether a client has sign-in pages on a host. */
  hasPages(clientId: string, host: string): boolean {
    const version = this.#domains.find((domain) => domain.host === host)?.managedLoginVersion ?? 1;
    return version < 2 || this.#styledClients.includes(clientId);
  }
}
