// The records of app clients. Those of gateways have a prefix of their own, because the function that makes gateways writes them.
import { connectorSchema, ownClientSchema } from "../../../domain/access/registered-client.ts";
import { defineRecord } from "../record.ts";

export const appClientRecord = defineRecord({
  kind: "appClient",
  title: "app client",
  pk: "CLIENT#{client_id}",
  sk: "CLIENT",
  schema: ownClientSchema,
  version: 1,
  life: "with the client",
  purge: { stays: "belongs to the program, and names no workspace" },
  written: "by the program, with the client; `use` is `console`, `token_helper`, `token_helper_write` or `skills`",
});

export const connectorClientRecord = defineRecord({
  kind: "connectorClient",
  title: "app client of a gateway",
  pk: "CONNECTOR#{client_id}",
  sk: "CONNECTOR",
  schema: connectorSchema,
  version: 1,
  life: "with the client",
  purge: { stays: "removed by `agentcore` with the gateway" },
  written: "by `agentcore`, which creates the gateway; `use` is `connector`, and `tenant_id` that of the gateway",
});
