// The contract of the proxy's function: its environment, its memory and its times.
import * as z from "zod";
import { defineFunction, flag, integer, json, paymentVariables } from "../contract.ts";

/**
 * Lambda takes a request of 6 MB (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). The event carries the
 * body inside JSON, so it is kept a little smaller; what escaping makes larger still is refused by Lambda itself.
 */
export const maxBodyBytes = 6 * 1024 * 1024 - 64 * 1024;

/** CloudFront waits this long for the first byte and between two; 180 s is its most without a quota request. */
export const originReadTimeoutSeconds = 120;

/** A model host's silence of this length gets a ping: what stands between, and clients, give up after 60 s and more. */
export const pingSeconds = 15;

/** A stream has its status this long after its call arrived, of which it may have waited 45 s for its budget. */
export const statusSeconds = 50;

const names = json(z.array(z.string().min(1)).min(1));

export const proxy = defineFunction({
  entry: "handlers/proxy/lambda.ts",
  timeoutSeconds: 900,
  memoryMb: 1024,
  env: {
    TABLE_NAME: z.string().min(1),
    /** True if the stack takes up new models of a family by itself. */
    NEW_MODELS: flag,
    MODEL_HOST_ROLE_ARN: z.string().startsWith("arn:"),
    USER_POOL_ID: z.string().min(1),
    /** App clients whose tokens may call models. */
    PROXY_CLIENT_IDS: names,
    /** SHA-256 in hexadecimal of each valid origin secret; two while rotating. */
    ORIGIN_SECRET_HASHES: json(z.array(z.string().length(64)).min(1).max(2)),
    /** `proxy.<domain>` */
    PROXY_DOMAIN: z.string().min(1),
    /** The console's address. */
    CONSOLE_URL: z.url(),
    SCOPE_PREFIX: z.string().min(1),
    VENDOR_SEGMENTS: names,
    SESSION_HEADERS: names,
    REGION_HEADERS: names,
    /** Calls that a rested caller may make at once, unless its grant says otherwise. */
    DEFAULT_BURST: integer,
    DEFAULT_PER_MINUTE: integer,
    DEFAULT_MAX_IN_FLIGHT: integer,
    ENFORCE_FREE_CREDIT: flag,
    TRIAL_CAP: paymentVariables.TRIAL_CAP.optional(),
    /** Calls of one workspace that may wait for their callers' budgets at a time. */
    MAX_WAITING: integer,
    /** Calls of one workspace that may be in flight, all callers together. */
    MAX_CROWD: integer,
    UNSETTLED_QUEUE_URL: z.url(),
    /** The stack's own names for models of the catalog. */
    MODEL_ALIASES: json(z.record(z.string(), z.string())),
    /** The HTTP status of a spent budget or credit. */
    BUDGET_STATUS: integer.pipe(z.literal([402, 429])),
    /** The HTTP status, for Claude Code, of a refusal that no other token cures. */
    ASSISTANT_STATUS: integer.pipe(z.literal([402, 403, 409, 451])),
    /** The catalog's ids of the models that are called by the Messages endpoint; `*` for all. */
    MESSAGES_ENDPOINT: json(z.array(z.string())),
    /** Whether the model host's invocations are logged, by whose lines the meter corrects what nobody heard the end of. */
    LOGS_INVOCATIONS: flag,
    /** A dimension of the metrics, since one account may have several stacks. */
    STACK_NAME: z.string().min(1),
    /** The longest time without a byte for the caller, before its answer and in it; CloudFront waits a little longer. */
    IDLE_TIMEOUT_SECONDS: integer,
    /** A silence of a stream of this length is bridged with a ping (docs/decisions/0103-streams-never-hang.md); unset, none is sent. */
    PING_SECONDS: integer.optional(),
    /** A stream without an event of the model host for so long is ended. */
    HOST_SILENCE_SECONDS: integer,
  },
});
