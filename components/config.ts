// The stack's configuration, parsed once and read nowhere else. All mistakes are reported together, by key.
import * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import { maxInFlight, mostPerMinute, usualInFlight } from "../domain/access/grant.ts";
import { modelName } from "../domain/catalog/catalog.ts";
import { regions } from "../domain/catalog/region.ts";
import { usualQuotas } from "../domain/marketplace/account-quotas.ts";
import { hostProblems, isSafeCallback, regionProblems } from "./aws-limits.ts";
import { ConfigError } from "./config-error.ts";
import { googleConfig, oidcProvidersConfig } from "./identity/identity-provider-config.ts";
import { mailConfig } from "./mail-config.ts";
import { modelHostKeys, modelHostProblems } from "./proxy/model-host-config.ts";

const project = "archway";
/** The beginning of the secret in the example file, which everybody knows. */
const placeholder = "replace-this";

const hostname = z
  .string()
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    "must be a lower-case host name",
  );
const segment = z.string().regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 of a-z, 0-9 and -");
const headerName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "must be a header name of letters, digits and -");
const email = z.email().toLowerCase();
const callback = z.url().refine(isSafeCallback, "must be https, or http://localhost");
/** A secret that is compared by its hash, in constant time. It is so long that the hash does not give it away. */
const secret = z.string().min(32, "must have 32 characters or more");

const names = z
  .strictObject({
    /** Path segments in place of the specification's `vendor`; the first is the one that is shown. */
    vendor: z.array(segment).min(1).default(["vendor"]),
    sessionHeaders: z.array(headerName).min(1).default(["X-Code-Session-Id"]),
    regionHeaders: z.array(headerName).min(1).default(["X-Platform-Region"]),
    scopePrefix: segment.default("platform"),
  })
  .prefault({});

const quota = (usual: number) => z.int().min(1).default(usual);
const mcpQuotas = z
  .strictObject({
    api_key_providers: quota(usualQuotas.api_key_providers),
    gateways: quota(usualQuotas.gateways),
    runtimes: quota(usualQuotas.runtimes),
    app_clients: quota(usualQuotas.app_clients),
  })
  .prefault({});

export const limits = z
  .strictObject({
    /** Calls that a rested caller may make at once. */
    burst: z.int().min(1).max(10_000).default(60),
    perMinute: z.int().min(1).max(100_000).default(600),
    maxInFlight: z.int().min(1).max(maxInFlight).default(usualInFlight),
    /** A workspace's calls that may wait for their budgets at a time. Each holds an instance of the account's concurrency, of which a new account has ten. */
    maxWaiting: z.int().min(0).max(500).default(64),
    /**
     * Calls of a workspace in flight, all callers together, but for the first two of each caller. Below the account's concurrency: what is
     * above that is refused by Lambda, in its own words.
     */
    workspaceInFlight: z.int().min(1).max(10_000).default(256),
    /** Workspaces of an owner, deleted ones included until they are purged. */
    workspaces: z.int().min(1).max(1_000).default(5),
    /** Service accounts of a workspace. */
    serviceAccounts: z.int().min(1).max(1_000).default(100),
    /**
     * Invitations and their repeats of a workspace a day (UTC): each may be a mail to somebody who did not ask for it. A platform of large
     * teams raises it.
     */
    invitationMails: z.int().min(1).max(10_000).default(20),
  })
  .superRefine(({ perMinute, maxInFlight: inFlight }, context) => {
    const most = mostPerMinute(inFlight);
    const message = `must be at most ${most} with ${inFlight} calls in flight (maxInFlight): a caller's record bears no more`;
    if (perMinute > most) context.addIssue({ code: "custom", path: ["perMinute"], message });
  })
  .prefault({});

/** Instances reserved for functions that everybody needs. Off by default: an account must keep 100 unreserved, and a new one has ten. */
const reservedConcurrency = z
  .strictObject({ triggers: z.int().min(1).max(10_000).optional(), control: z.int().min(1).max(10_000).optional() })
  .prefault({});

/** The receivers of alarms. */
const alarms = z
  .strictObject({
    email: email.optional(),
    /** A topic of SNS that exists, and that CloudWatch may publish to; one is made unless it is given. */
    topicArn: z
      .string()
      .regex(/^arn:aws:sns:[a-z0-9-]+:\d{12}:[\w-]+$/, "must be the ARN of a topic")
      .optional(),
  })
  .refine(({ email, topicArn }) => email ?? topicArn, { error: "must have email or topicArn" });

/** The payment account that bills, and how usage is billed. */
const stripe = z.strictObject({
  /** A secret in Secrets Manager, as JSON: `secret_key` of the account; `npm run stripe:setup` adds `webhook_secret`. */
  secretArn: z
    .string()
    .regex(/^arn:aws:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+$/, "must be the ARN of a secret"),
  /** The factor from list price to billed price. Budgets and caps count list prices. */
  markup: z.number().min(0.01).max(100).refine(hasSixDecimals, "must have at most six decimals").default(1),
  tax: z.enum(["off", "automatic"]).default("off"),
});

const times = z.coerce.number().min(1).max(1_000_000);

const schema = z.strictObject({
  /** The platform's name in mails. */
  brand: z
    .string()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N} &'()+_-]{0,39}$/u, "must be 1 to 40 letters, digits, spaces and &'()+_-")
    .default("Archway"),
  domain: hostname,
  cloudflareZoneId: z.string().regex(/^[0-9a-f]{32}$/, "must be 32 hexadecimal digits"),
  /** True if the domain has an A record already. Cognito asks for one, so the program makes it otherwise. */
  domainResolves: z.boolean().default(false),
  originSecret: secret,
  /** The earlier secret, which is accepted beside the new one while it is being rotated. */
  previousOriginSecret: secret.optional(),
  platformAdmins: z.array(email).default([]),
  /**
   * Addresses of the platform's support. A person with one of them, verified, may read a workspace's people, usage and state; the
   * workspace's audit trail shows each such read.
   */
  platformSupport: z.array(email).default([]),
  approval: z.enum(["automatic", "manual"]).default("automatic"),
  defaultRegion: z.enum(regions).default("eu-central-1"),
  /** Addresses of further consoles, such as one under development. The platform's own is `https://console.<domain>`. */
  console: z
    .strictObject({ callbackUrls: z.array(callback).default([]), logoutUrls: z.array(callback).default([]) })
    .prefault({}),
  /**
   * Loopback addresses on which the token helper waits for its code, the first that is free; Cognito compares them exactly. A company whose
   * machines use these ports for something else names others.
   */
  tokenHelperCallbackUrls: loopbackCallbacks(8400, 8401, 8402),
  /** The skills server's loopback addresses. They differ from the token helper's because both may wait at once. */
  skillsCallbackUrls: loopbackCallbacks(8410, 8411, 8412),
  /**
   * The secret by which addresses of MCP gateways are marked as this stack's; the origin's unless given. Whoever changes the origin's keeps
   * the one before here: another secret is another address for each gateway.
   */
  relaySecret: secret.optional(),
  /** The secret of what MCP clients hold between calls: their ids, codes and refresh tokens. No other secret signs them out. */
  sealingSecret: secret,
  /** The earlier secret, whose sealed texts still count while the new one is being introduced. */
  previousSealingSecret: secret.optional(),
  /** The AWS account's quotas for MCP gateways, to be raised here once AWS has raised them. An alarm rings at 80 % of each. */
  mcpQuotas,
  /** Google as an identity provider. If unset, nobody signs in with Google. */
  google: googleConfig.optional(),
  /** Further providers that people may sign in with. */
  oidcProviders: oidcProvidersConfig,
  names,
  limits,
  ...modelHostKeys,
  /** If unset, alarms only show in CloudWatch. */
  alarms: alarms.optional(),
  reservedConcurrency,
  /** The sender of all mail. If unset, Cognito sends the pool's mails, 50 a day, and the platform sends none of its own. */
  mail: mailConfig.optional(),
  /** If unset, nothing is billed, and the steps of a creation that bill stay pending. */
  stripe: stripe.optional(),
  /** USD at the platform's prices that an owner may use before the first payment; it counts where `stripe` is set. */
  trialCap: z.coerce.number().min(1).max(1_000_000).default(50),
  /** How many times `trialCap` an owner may use at most in the first week and in the first month, paid or not. */
  firstWeekTimes: times.default(3),
  firstMonthTimes: times.default(10),
  /** USD at list price that free credit of a day's new workspaces may be worth, of owners without a payment method. */
  freeCreditPerDay: z.coerce.number().min(0).max(1_000_000).default(100),
  /** A JSON file, from the repository's root, in place of `domain/catalog/catalog-data.ts`. */
  catalog: z
    .string()
    .regex(/^[\w-]+(\/[\w.-]+)*\.json$/, "must be the path of a JSON file in the repository")
    .optional(),
  /** The stack's own names for models: a new name that clients ask for, `latest`. `stack-catalog.ts` checks both sides. */
  aliases: z.record(modelName, modelName).default({}),
  /** Families of which new models are taken up as soon as the model host and its price list have them: `claude-opus`. */
  newModels: z.array(z.string().regex(/^claude-[a-z]+$/, "must be a family, such as claude-opus")).default([]),
  /** Whether a tenant without a payment method ends with its free credit. True where `stripe` is set, and not possible elsewhere. */
  enforceFreeCredit: z.boolean().optional(),
  /** False ends a stream after 115 s of the model host's silence, and never sends a ping of our own. */
  ping: z.boolean().default(true),
  /** Seconds without an event of the model host after which a stream ends. A caller who asks again pays twice. */
  hostSilence: z.coerce.number().int().min(60).max(800).default(300),
  /** Status of a spent budget or credit; at 402 more clients stop at once. */
  budgetStatus: z.enum(["402", "429"], "must be 402 or 429").default("429"),
  /** Status, for Claude Code, of refusals that no other token cures: a 403 it repeats for minutes. */
  assistantStatus: z.enum(["402", "403", "409", "451"], "must be 402, 403, 409 or 451").default("409"),
});

/** Every key of the stack's configuration, checked. */
export type StackConfig = z.output<typeof schema> & { enforceFreeCredit: boolean };

/** The address of the platform's own console, without a path. */
export function consoleUrl({ domain }: Pick<StackConfig, "domain">): string {
  return `https://console.${domain}`;
}

/** The platform's own console comes first: what leads to a console leads there. */
function consoleAddresses({ domain, console: { callbackUrls, logoutUrls } }: z.output<typeof schema>) {
  const own = consoleUrl({ domain });
  const all = (first: string, further: string[]) => [...new Set([first, ...further])];
  return { callbackUrls: all(`${own}/callback`, callbackUrls), logoutUrls: all(`${own}/`, logoutUrls) };
}

function loopbackCallbacks(...ports: number[]) {
  return z
    .array(callback)
    .min(1)
    .default(ports.map((port) => `http://localhost:${port}/callback`));
}

/** Billed quantities are exact to six decimals (domain/reporting/quantity.ts). */
function hasSixDecimals(markup: number): boolean {
  return Math.round(markup * 1e6) / 1e6 === markup;
}

/**
 * Reads `archway:*` of the stack's configuration.
 * @throws Error that lists every missing, wrong or unknown key, never a value.
 */
export function stackConfig(source: Record<string, string> = pulumi.runtime.allConfig()): StackConfig {
  const values: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(source)) {
    if (key.startsWith(`${project}:`)) values[key.slice(project.length + 1)] = structured(text);
  }
  const parsed = schema.safeParse(values, { reportInput: true });
  const problems = [...(parsed.error?.issues ?? []).flatMap(explain), ...deploymentProblems(values, source)];
  if (parsed.data && problems.length === 0) {
    const { enforceFreeCredit, stripe } = parsed.data;
    return {
      ...parsed.data,
      console: consoleAddresses(parsed.data),
      enforceFreeCredit: enforceFreeCredit ?? stripe !== undefined,
    };
  }
  throw new ConfigError(problems);
}

/** Mistakes that no value shows alone, and that AWS would refuse late or nobody would notice. */
function deploymentProblems(
  { domain, originSecret, sealingSecret, enforceFreeCredit, stripe, ...others }: Record<string, unknown>,
  source: Record<string, string>,
): string[] {
  const endsForEver = enforceFreeCredit === true && stripe === undefined;
  const secrets = domain === "localhost" ? {} : { originSecret, sealingSecret };
  const placeholders = Object.entries(secrets).filter(([, text]) => String(text).startsWith(placeholder));
  return [
    ...(typeof domain === "string" ? hostProblems(domain).map((problem) => `${project}:domain: ${problem}`) : []),
    ...regionProblems(source["aws:region"] ?? ""),
    ...(endsForEver
      ? [`${project}:enforceFreeCredit: needs ${project}:stripe, without which nobody can pay to go on`]
      : []),
    ...modelHostProblems(others).map((problem) => `${project}:${problem}`),
    ...placeholders.map(([key]) => `${project}:${key}: is the example's; make your own: openssl rand -hex 32`),
  ];
}

/** Lists, objects and booleans arrive as JSON. Everything else is a string, digits too: a zone's id may happen to have no letter. */
function structured(text: string): unknown {
  if (!/^\s*([[{]|true$|false$)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function explain(issue: z.core.$ZodIssue): string[] {
  const key = (path: PropertyKey[]) => `${project}:${path.join(".")}`;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => `${key([...issue.path, name])}: no such key`);
  }
  return [`${key(issue.path)}: ${issue.input === undefined ? "is missing" : issue.message}`];
}
