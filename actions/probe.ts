// Other functions ask the function `probe` for these actions.
import * as z from "zod";
import { candidateSchema } from "../domain/integrations/examination.ts";
import { specCandidateSchema, specCheckSchema } from "../domain/integrations/spec-check.ts";
import { registeredSpecSchema } from "../domain/openapi/registered-spec.ts";
import { specReportSchema } from "../domain/openapi/report.ts";
import { probeFailureSchema, probeOutcomeSchema } from "../domain/upstream/verification.ts";

export const probeActions = {
  /** Judges what somebody wants to register: its document or its server, and where its addresses lead. */
  examine: {
    input: z.object({ tenant_id: z.string(), candidate: candidateSchema }),
    result: z.object({
      tools: z.array(z.object({ name: z.string(), digest: z.string() })),
      spec: registeredSpecSchema.optional(),
      /** Why the API said nothing about the credential. */
      untried: probeFailureSchema.optional(),
    }),
  },
  /** Judges a document as `examine` does, and connects to nobody. */
  check: {
    input: z.object({ tenant_id: z.string(), candidate: specCandidateSchema }),
    result: specCheckSchema,
  },
  /** The report on the operations of an integration's document. */
  report: {
    input: z.object({ tenant_id: z.string(), server_id: z.string() }),
    result: z.object({ report: specReportSchema.optional() }),
  },
  /** Asks a registered integration's upstream with its credential. */
  verify: {
    input: z.object({ tenant_id: z.string(), server_id: z.string() }),
    result: z.object({ outcome: probeOutcomeSchema }),
  },
  /** Reads the metadata document of an MCP client. `failure` is a sentence of why it cannot be read. */
  read_client_document: {
    input: z.object({ address: z.url() }),
    result: z.object({
      text: z.string().optional(),
      fresh_seconds: z.number().optional(),
      failure: z.string().optional(),
    }),
  },
};
