// A registered OpenAPI document of one tool.
import type { RegisteredSpec } from "../../../domain/openapi/registered-spec.ts";

export function aRegisteredSpec(title = "Pets", url = "https://api.example.com"): RegisteredSpec {
  const paths = { "/pets": { get: { operationId: "list_pets" } } };
  const counts = { taken: 1, taken_with_loss: 0, not_offered: 0, not_chosen: 0 };
  return {
    document: { openapi: "3.0.3", info: { title, version: "1" }, servers: [{ url }], paths },
    report: { base_url: url, ...counts, operations: [] },
  };
}
