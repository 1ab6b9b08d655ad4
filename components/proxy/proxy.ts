// The model proxy: a streaming function behind one wildcard distribution, and the role with which it calls models.
import { createHash } from "node:crypto";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { takeBackAttributes } from "../../adapters/dynamodb/budget/allowance.record.ts";
import { creditAttributes } from "../../adapters/dynamodb/budget/credit.record.ts";
import { unsettledMessage } from "../../domain/budget/unsettled.ts";
import { maxBodyBytes, originReadTimeoutSeconds, pingSeconds, proxy } from "../../handlers/proxy/contract.ts";
import { alarmAbove, countedLines } from "../alarm.ts";
import { edgeCodeProblems } from "../aws-limits.ts";
import { consoleUrl, type StackConfig } from "../config.ts";
import { note } from "../config-error.ts";
import type { Identity } from "../identity/identity.ts";
import { LambdaFunction, lambdaRole } from "../lambda-function.ts";
import { roleLink, sendLink, tableLink } from "../link.ts";
import { publicFunctionUrl } from "../public-function-url.ts";
import type { Queue } from "../queue.ts";
import { RelayDistribution } from "../relay-distribution.ts";
import { trialCapAtListPrice } from "../tenant-platform/trust-terms.ts";
import { ModelHost } from "./model-host.ts";
import { takenUp, takesUp } from "./survey.ts";
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
    this.createLossAlarm(name);
    // The function's address is open to all, and useless without the origin's secret, which the handler checks first.
    const url = { function: this.function.function, invokeMode: "RESPONSE_STREAM" } as const;
    new RelayDistribution(
      name,
      {
        config: args.config,
        host: `*.proxy.${args.config.domain}`,
        functionUrl: publicFunctionUrl(name, url, { parent: this }),
        edgeFunction: this.createEdgeFunction(name),
        customHeaders: [{ name: "x-origin-secret", value: pulumi.secret(args.config.originSecret) }],
        readTimeoutSeconds: originReadTimeoutSeconds,
        certificateName: `${name}-wildcard`,
      },
      { parent: this },
    );
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
            get: [
              ...(["slugReservation", "signOut", "grant", "apiKey", "spending", "credit", "ledger"] as const),
              ...(["allowance", "ownedTenants"] as const),
              ...takenUp(config),
            ],
            // The callers of all of an owner's workspaces, whose idle slices come back.
            batchGet: ["spending"],
            activeIndex: ["spending"],
            put: ["ledger", "adjustment", "lastUse"],
            update: ["spending", "waitingRoom", "crowd"],
            updateOnly: { credit: creditAttributes, allowance: takeBackAttributes },
            // Of owners with the same card one draws only if the others have not.
            condition: ["report", "allowance"],
            index: ["tenant"],
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
          MAX_CROWD: String(limits.workspaceInFlight),
          UNSETTLED_QUEUE_URL: sendLink(unsettled.queue),
          IDLE_TIMEOUT_SECONDS: String(originReadTimeoutSeconds - idleMarginSeconds),
          ...(config.ping && { PING_SECONDS: String(pingSeconds) }),
          HOST_SILENCE_SECONDS: String(config.hostSilence),
          STACK_NAME: pulumi.getStack(),
          MESSAGES_ENDPOINT: JSON.stringify(config.messagesEndpoint),
          LOGS_INVOCATIONS: config.invocationLogs ? "true" : "false",
          ENFORCE_FREE_CREDIT: config.enforceFreeCredit ? "true" : "false",
          ...(config.stripe && { TRIAL_CAP: trialCapAtListPrice(config) }),
          NEW_MODELS: takesUp(config),
          MODEL_ALIASES: JSON.stringify(config.aliases),
          BUDGET_STATUS: config.budgetStatus,
          ASSISTANT_STATUS: config.assistantStatus,
        },
      },
      { parent: this },
    );
  }

  /** Rings when neither the table nor the queue took what a call has used: only the log has it then, and nothing replays it. */
  private createLossAlarm(name: string): void {
    const { logGroup } = this.function;
    const metric = countedLines(`${name}-unsettled`, { logGroup, text: unsettledMessage }, { parent: this });
    alarmAbove("proxy-unsettled", { at: logGroup.name, metric }, { parent: this });
  }

  private createEdgeFunction(name: string): aws.cloudfront.Function {
    const code = viewerRequest(maxBodyBytes);
    note(edgeCodeProblems(name, code));
    return new aws.cloudfront.Function(name, { runtime: "cloudfront-js-2.0", code, publish: true }, { parent: this });
  }
}

/** The function gets hashes only: a secret of 32 characters or more cannot be found from them. */
function originSecretHashes({ originSecret, previousOriginSecret }: StackConfig): string {
  const secrets = previousOriginSecret ? [originSecret, previousOriginSecret] : [originSecret];
  return JSON.stringify(secrets.map((secret) => createHash("sha256").update(secret).digest("hex")));
}
