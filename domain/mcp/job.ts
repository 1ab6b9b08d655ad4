// The jobs of the function `agentcore`: what takes longer than a request, and how a run waits for AgentCore.
import * as z from "zod";

export const agentCoreJobSchema = z.discriminatedUnion("kind", [
  /** Brings a workspace's gateway where its record says it is to be. */
  z.object({ kind: z.literal("gateway"), tenant_id: z.string() }),
  /** Brings an integration where its record says it is to be; `synchronize` has its tools listed anew. */
  z.object({
    kind: z.literal("server"),
    tenant_id: z.string(),
    server_id: z.string(),
    synchronize: z.boolean().optional(),
    /** How often it was tried; 1 unless given. */
    attempt: z.int().optional(),
  }),
]);

export type AgentCoreJob = z.output<typeof agentCoreJobSchema>;

/** Something is not done yet and nothing is wrong. */
export class Waiting extends Error {
  override name = "Waiting";
}

/** A run's gateway, and when it stops waiting. */
export type Run = { gatewayId: string; until: number };

export type WaitDependencies = { clock: () => number; pause: (milliseconds: number) => Promise<void> };

const pollMs = 1_000;

/** Asks until there is an answer. @param what is waited for, in the words of an error @throws Waiting if that takes longer than the run */
export async function waited<T>(
  { clock, pause }: WaitDependencies,
  { until }: Pick<Run, "until">,
  what: string,
  ask: () => Promise<{ answer: T } | undefined>,
): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found) return found.answer;
    if (clock() >= until) throw new Waiting(what);
    await pause(pollMs);
  }
}
