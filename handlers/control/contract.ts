// The contract of the control plane's function: entry, limits and environment.
import * as z from "zod";
import { discoverySchema } from "../../domain/access/discovery.ts";
import { regions } from "../../domain/catalog/region.ts";
import { askedFunctions, defineFunction, flag, integer, json, mailSender, paymentVariables } from "../contract.ts";

export const control = defineFunction({
  entry: "handlers/control/lambda.ts",
  // API Gateway waits 30 s at most. The creation of a tenant relies on every request being over after a minute.
  timeoutSeconds: 29,
  memoryMb: 1024,
  env: {
    TABLE_NAME: z.string().min(1),
    /** True if the stack takes up new models of a family by itself. */
    NEW_MODELS: flag,
    /** The functions that alone may change keys, accounts and what is at the payment provider. */
    ...askedFunctions,
    /** How many new workspaces of owners without a payment method get a free credit on a day; absent where it ends no calls. */
    FREE_GRANTS_A_DAY: integer.optional(),
    /** The function that makes and changes MCP gateways. */
    AGENTCORE_ARN: z.string().min(1),
    /** The function that asks the addresses that users give. */
    PROBE_ARN: z.string().min(1),
    /** The bucket that OpenAPI documents are uploaded to. */
    SPECS_BUCKET: z.string().min(1),
    /** The bucket with what skills hold. */
    SKILLS_BUCKET: z.string().min(1),
    /** The queue of runs of skills. */
    RUN_QUEUE_URL: z.url(),
    /** The log of tools' calls. */
    TOOL_LOG_GROUP: z.string().min(1),
    /** The origin of the gateways' addresses. */
    MCP_URL: z.url(),
    SETUP_QUEUE_URL: z.url(),
    PURGE_QUEUE_URL: z.url(),
    USER_POOL_ID: z.string().min(1),
    /** App clients whose tokens the control plane accepts. */
    CONTROL_CLIENT_IDS: json(z.array(z.string().min(1)).min(1)),
    SCOPE_PREFIX: z.string().min(1),
    /** `proxy.<domain>`: a tenant's proxy is at `<slug>.proxy.<domain>`. */
    PROXY_DOMAIN: z.string().min(1),
    /** First path segment of the proxy's addresses. */
    VENDOR_SEGMENT: z.string().min(1),
    /** Region of tenants that name none. */
    DEFAULT_REGION: z.enum(regions),
    /** `manual`: only approved people create tenants. */
    APPROVAL: z.enum(["automatic", "manual"]),
    /** Most workspaces of one owner. */
    MAX_WORKSPACES: integer,
    /** Origins whose pages may call from a browser. */
    CONSOLE_ORIGINS: json(z.array(z.url())),
    /** The document that is served at `/.well-known/archway.json`, as JSON. */
    DISCOVERY: json(discoverySchema),
    /** Calls in flight of a caller whose grant names no limit. */
    DEFAULT_MAX_IN_FLIGHT: integer,
    /** Most service accounts of a workspace. */
    MAX_SERVICE_ACCOUNTS: integer,
    /** Most invitation mails of a workspace a day. */
    MAX_INVITATION_MAILS: integer,
    /** The stack's own names for models of the catalog. */
    MODEL_ALIASES: json(z.record(z.string(), z.string())),
    /** Missing in a stack that bills nothing. */
    BILLING_MARKUP: paymentVariables.BILLING_MARKUP.optional(),
    TRIAL_CAP: paymentVariables.TRIAL_CAP.optional(),
    ...mailSender,
  },
});
