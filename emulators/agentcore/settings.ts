// How fast the emulated AgentCore is, and how much it takes. A test or reader may change both.
import * as z from "zod";
import { defaultLimits } from "../sandbox/limits.ts";

/** The quotas of an account and region (docs.aws.amazon.com/bedrock-agentcore/latest/devguide/bedrock-agentcore-limits.html). */
const quotas = {
  gateways: 1_000,
  targetsPerGateway: 100,
  toolsPerTarget: 1_000,
  /** "Concurrent target operations per gateway". */
  targetOperations: 5,
  apiKeyCredentialProviders: 50,
  agentRuntimes: 1_000,
  /** Active sessions of all Code Interpreters. The number is not AWS's: its page was not to be had when this was written. */
  codeInterpreterSessions: 1_000,
  rateLimitsPerGateway: 50,
  entriesPerRateLimit: 1_000,
  /** Calls in a second by operation: to create, update and delete a gateway or a target, and to get and list them. */
  changesPerSecond: 5,
  readsPerSecond: 10,
  identityPerSecond: 20,
  runtimeChangesPerSecond: 50,
};

const milliseconds = z.int().min(0);

const schema = z.strictObject({
  /** How long the state of a new, changed or deleted gateway, target or runtime takes to settle, by the stack's clock. */
  gatewayMs: milliseconds.default(250),
  targetMs: milliseconds.default(250),
  runtimeMs: milliseconds.default(250),
  /**
   * How long a gateway cannot be deleted after its last target is gone: DeleteGateway was seen to refuse while
   * ListGatewayTargets was empty already.
   */
  lingerMs: milliseconds.default(250),
  /** Whether a target serves its old definition while it is UPDATING. AWS does not say. */
  servesWhileUpdating: z.boolean().default(true),
  /** Limits of a session of a Code Interpreter on this machine. A running session keeps those with which it began. */
  session: z
    .strictObject({
      memoryMb: z.int().min(1).default(defaultLimits.memoryMb),
      diskMb: z.int().min(1).default(defaultLimits.diskMb),
      processes: z.int().min(1).default(defaultLimits.processes),
    })
    .prefault({}),
  quotas: z
    .strictObject(
      Object.fromEntries(Object.entries(quotas).map(([name, most]) => [name, z.int().min(0).default(most)])),
    )
    .prefault({}) as unknown as z.ZodType<typeof quotas>,
});

export type Settings = z.output<typeof schema>;

/** @throws Error that names every wrong field. */
export function changed(current: Settings | undefined, change: unknown = {}): Settings {
  const part = z.looseObject({}).optional();
  const given = z.looseObject({ quotas: part, session: part }).parse(change ?? {});
  const merged = {
    ...current,
    ...given,
    quotas: { ...current?.quotas, ...given.quotas },
    session: { ...current?.session, ...given.session },
  };
  const parsed = schema.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}
