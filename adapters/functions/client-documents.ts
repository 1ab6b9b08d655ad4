// Metadata documents of MCP clients, by way of the function `probe`, which alone asks addresses that somebody gives.
import { probeActions } from "../../actions/probe.ts";
import type { DocumentFetch } from "../../domain/connectors/client-document.ts";
import type { Invocation } from "./invocation.ts";

/** Longer than a fetch of a document and a cold start of `probe` may take together (adapters/upstream/client-document.ts). */
export const documentPatienceMs = 10_000;

export function documentsOfProbe(arn: string, invoke: Invocation): DocumentFetch {
  const ask = invoke({ name: "probe", arn, actions: probeActions });
  return async (address) => {
    const { text, fresh_seconds: freshSeconds, failure } = await ask("read_client_document", { address });
    return text === undefined ? { failure: failure ?? "it is empty" } : { text, freshSeconds: freshSeconds ?? 0 };
  };
}
