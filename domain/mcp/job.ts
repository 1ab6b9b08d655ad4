// The jobs of the function `agentcore`: what takes longer than a request.
import * as z from "zod";

export const agentCoreJobSchema = z.discriminatedUnion("kind", [
  /** Brings a workspace's gateway where its record says it is to be. */
  z.object({ kind: z.literal("gateway"), tenant_id: z.string() }),
]);

export type AgentCoreJob = z.output<typeof agentCoreJobSchema>;
