// The OpenAPI document of an API that is to be registered: what becomes of its operations, and where its tools lead.
import * as z from "zod";
import { fieldRefusal, type Refusal } from "../kernel/refusal.ts";
import { operationChoiceSchema } from "../openapi/choice.ts";
import { mostDocumentBytes, type ReadDocument } from "../openapi/document.ts";
import { specRefusal } from "../openapi/problem.ts";
import { namesOfSpec, type RegisteredSpec, toolsOfSpec } from "../openapi/registered-spec.ts";
import { specReportSchema, type ToolDifference, toolDifferenceSchema } from "../openapi/report.ts";
import { type Refused, rewriteSpec } from "../openapi/rewriting.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { sentSecret, upstreamAuthSchema } from "../upstream/upstream-auth.ts";
import { UpstreamFailure } from "../upstream/upstream-failure.ts";
import type { McpServer } from "./mcp-server.ts";

/** `spec` is the document's text, `upload` the name of an uploaded one; missing both, `server_id` keeps its document. */
export const specCandidateSchema = z.object({
  target_mode: z.literal("openapi"),
  spec: z.string().optional(),
  upload: z.string().optional(),
  base_url: z.string().optional(),
  operations: operationChoiceSchema.optional(),
  auth: upstreamAuthSchema.optional(),
  secret: z.string().optional(),
  server_id: z.string().optional(),
});

export type SpecCandidate = z.output<typeof specCandidateSchema>;

export const specCheckSchema = specReportSchema
  .extend({ difference: toolDifferenceSchema.optional() })
  .meta({ id: "SpecCheck", description: "What would become of the operations of an OpenAPI document" });

export type SpecCheck = z.output<typeof specCheckSchema>;

/** Documents that tenants uploaded or registered. */
export interface SpecReader {
  /** Undefined if there is none. Cut off after the most bytes that a document may have, and one more. */
  uploaded(tenantId: string, upload: string): Promise<string | undefined>;
  registered(server: Pick<McpServer, "tenant_id" | "server_id" | "spec_version">): Promise<RegisteredSpec | undefined>;
}

export type SpecDependencies = {
  specs: SpecReader;
  /** Makes the upstream of one probe. */
  upstream: () => Upstream;
  readDocument: (text: string) => ReadDocument;
  digest: (text: string) => string;
};

/** @param before the present document, whose tools keep their names @throws Refusal invalid_request that names the field */
export async function checkedSpec(
  deps: SpecDependencies,
  tenantId: string,
  { candidate, before }: { candidate: SpecCandidate; before: RegisteredSpec | undefined },
): Promise<RegisteredSpec> {
  const { spec, upload = "", base_url: baseUrl, operations: choice, auth } = candidate;
  const field = spec === undefined ? "spec_uri" : "spec";
  const text = spec ?? (await deps.specs.uploaded(tenantId, upload));
  if (text === undefined) {
    throw fieldRefusal("invalid_request", field, "nothing was uploaded there: see POST /v1/mcp-specs");
  }
  if (Buffer.byteLength(text) > mostDocumentBytes) {
    const message = `must have at most ${mostDocumentBytes} bytes`;
    throw specRefusal(field, [{ code: "too_large", path: "", message }]);
  }
  const read = deps.readDocument(text);
  if ("problem" in read) throw specRefusal(field, [{ code: "not_readable", path: "", message: read.problem }]);
  const names = before ? namesOfSpec(before) : new Map<string, string>();
  const credential = auth && sentSecret(auth);
  const made = rewriteSpec(read.document, { choice, baseUrl, credential, names, digest: deps.digest });
  if ("problem" in made) throw refusalOf(field, made.problem);
  await deps
    .upstream()
    .requirePublic(made.report.base_url)
    .catch((error: unknown) => {
      if (!(error instanceof UpstreamFailure)) throw error;
      const code = error.reason === "address_not_public" ? "server_not_public" : "server_invalid";
      const problem = { code, path: "servers", message: error.message } as const;
      throw refusalOf(field, baseUrl === undefined ? problem : { ...problem, field: "base_url" });
    });
  return made;
}

function refusalOf(spec: string, { field, ...problem }: Refused): Refusal {
  if (field === undefined) return specRefusal(spec, [problem]);
  return fieldRefusal("invalid_request", field, `${problem.message} (${problem.code})`);
}

/** The differences of a document's tools from the tools of the version before. */
export function differenceOf(before: RegisteredSpec, after: RegisteredSpec): ToolDifference {
  const [earlier, later] = [before, after].map(
    (spec) => new Map(toolsOfSpec(spec).map(({ name, definition }) => [name, JSON.stringify(definition)])),
  ) as [Map<string, string>, Map<string, string>];
  return {
    added: [...later.keys()].filter((name) => !earlier.has(name)),
    removed: [...earlier.keys()].filter((name) => !later.has(name)),
    altered: [...later].flatMap(([name, one]) => (earlier.has(name) && earlier.get(name) !== one ? [name] : [])),
  };
}
