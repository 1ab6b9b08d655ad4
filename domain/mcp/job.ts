// The jobs of the function `agentcore`: what takes longer than a request.
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
