// The jobs of the function `agentcore`: what takes longer than a request, and how a run waits for AgentCore.
import * as z from "zod";

export const agentCoreJobSchema = z.discriminatedUnion("kind", [
  /** Brings a workspace's gateway into the state that its record asks for. */
  z.object({ kind: z.literal("gateway"), tenant_id: z.string() }),
  /** Brings an integration where its record says it is to be. */
  z.object({
    kind: z.literal("server"),
    tenant_id: z.string(),
    server_id: z.string(),
    /** The number of the attempt; 1 unless given. */
    attempt: z.int().optional(),
  }),
]);

export type AgentCoreJob = z.output<typeof agentCoreJobSchema>;

/** Thrown if something is not done yet and nothing is wrong. */
export class NotReady extends Error {
  override name = "NotReady";
}

/** The gateway of a run, and the time at which the run stops waiting. */
export type GatewayRun = { gatewayId: string; until: number };

/** AgentCore takes ten questions of a kind in a second for all tenants together. */
const firstMs = 100;
const longestMs = 2_000;

export type WaitDependencies = { clock: () => number; pause: (milliseconds: number) => Promise<void> };

/** @returns pauses, and says whether there is time left to look again */
export function waiting({ clock, pause }: WaitDependencies, until: number): () => Promise<boolean> {
  let next = firstMs;
  return async () => {
    if (clock() >= until) return false;
    await pause(next);
    next = Math.min(next * 2, longestMs);
    return true;
  };
}

/** Asks until there is an answer. @param what is waited for, in the words of an error @throws NotReady if that takes longer than the run */
export async function waited<T>(
  deps: WaitDependencies,
  { until }: Pick<GatewayRun, "until">,
  what: string,
  ask: () => Promise<{ answer: T } | undefined>,
): Promise<T> {
  const again = waiting(deps, until);
  do {
    const found = await ask();
    if (found) return found.answer;
  } while (await again());
  throw new NotReady(what);
}
