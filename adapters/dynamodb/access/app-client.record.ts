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
  purge: { stays: "the program's own; none names a workspace" },
  written: "`use`: `console`, `token_helper`, `token_helper_write`, `skills`, by the program beside the client",
});

export const connectorClientRecord = defineRecord({
  kind: "connectorClient",
  title: "app client of a gateway",
  pk: "CONNECTOR#{client_id}",
  sk: "CONNECTOR",
  schema: connectorSchema,
  version: 1,
  life: "with the client",
  purge: { stays: "goes with the gateway, which `agentcore` removes" },
  written: "`use` is `connector`, with the `tenant_id` of its gateway, by `agentcore`, which makes the gateway",
});
