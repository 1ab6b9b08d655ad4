// What the control plane's function needs, said once.
import * as z from "zod";
import { discoverySchema } from "../../domain/access/discovery.ts";
import { regions } from "../../domain/catalog/region.ts";
import { askedFunctions, defineFunction, integer, json, mailSender, paymentVariables } from "../contract.ts";

export const control = defineFunction({
  entry: "handlers/control/lambda.ts",
  // API Gateway waits 30 s at most; the creation of a tenant counts on a request being over after a minute.
  timeoutSeconds: 29,
  memoryMb: 1024,
  streaming: false,
  env: {
    TABLE_NAME: z.string().min(1),
    /** The function that administers accounts and keys. */
    ...askedFunctions,
    SETUP_QUEUE_URL: z.url(),
    PURGE_QUEUE_URL: z.url(),
    USER_POOL_ID: z.string().min(1),
    /** App clients whose tokens the control plane takes. */
    CONTROL_CLIENT_IDS: json(z.array(z.string().min(1)).min(1)),
    SCOPE_PREFIX: z.string().min(1),
    /** `proxy.<domain>`: a tenant's proxy is at `<slug>.proxy.<domain>`. */
    PROXY_DOMAIN: z.string().min(1),
    /** First path segment of the proxy's addresses. */
    VENDOR_SEGMENT: z.string().min(1),
    /** For tenants that name none. */
    DEFAULT_REGION: z.enum(regions),
    /** `manual`: who is not approved cannot create a tenant. */
    APPROVAL: z.enum(["automatic", "manual"]),
    /** That one person may own. */
    MAX_WORKSPACES: integer,
    /** Whose pages may call from a browser. */
    CONSOLE_ORIGINS: json(z.array(z.url())),
    /** What clients are told at `/.well-known/archway.json`. */
    DISCOVERY: json(discoverySchema),
    /** Of a workspace. */
    MAX_SERVICE_ACCOUNTS: integer,
    /** Of a workspace a day. */
    MAX_INVITATION_MAILS: integer,
    /** The stack's own names for models of the catalog. */
    MODEL_ALIASES: json(z.record(z.string(), z.string())),
    /** None where nothing is billed. */
    BILLING_MARKUP: paymentVariables.BILLING_MARKUP.optional(),
    ...mailSender,
  },
});
