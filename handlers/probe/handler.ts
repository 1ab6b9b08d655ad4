// Asks the addresses that users give: no other function opens a connection there, and this one can change nothing.

import { probeActions } from "../../actions/probe.ts";
import type { DocumentFetch } from "../../domain/connectors/client-document.ts";
import {
  checkSpec,
  type ExaminationDependencies,
  examine,
  probeServer,
} from "../../domain/integrations/examination.ts";
import { requireServer } from "../../domain/integrations/mcp-server.ts";
import type { Log } from "../../domain/kernel/log.ts";
import { answerActions } from "../actions.ts";

export type ProbeDependencies = ExaminationDependencies & { readClientDocument: DocumentFetch; log: Log };

export function probeHandler(deps: ProbeDependencies) {
  return answerActions(
    probeActions,
    {
      examine: ({ tenant_id, candidate }) => examine(deps, tenant_id, candidate),
      check: ({ tenant_id, candidate }) => checkSpec(deps, tenant_id, candidate),
      async report({ tenant_id, server_id }) {
        const spec = await deps.specs.registered(await requireServer(deps.servers, tenant_id, server_id));
        return spec ? { report: spec.report } : {};
      },
      async verify({ tenant_id, server_id }) {
        return { outcome: await probeServer(deps, await requireServer(deps.servers, tenant_id, server_id)) };
      },
      async read_client_document({ address }) {
        const read = await deps.readClientDocument(address);
        return "failure" in read ? read : { text: read.text, fresh_seconds: read.freshSeconds };
      },
    },
    deps.log,
  );
}
