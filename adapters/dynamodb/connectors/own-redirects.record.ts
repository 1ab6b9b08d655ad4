// The record of the addresses that a workspace's owner names for clients with its gateway's own ids.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const ownRedirectsRecord = defineRecord({
  kind: "ownRedirects",
  title: "addresses of a workspace's own MCP clients",
  pk: "OWNREDIRECTS#{tenant_id}",
  sk: "REDIRECTS",
  schema: z.object({ tenant_id: z.string(), redirect_uris: z.array(z.string()) }),
  version: 1,
  life: "with the workspace",
  purge: { with: "workspace", by: "key" },
  control: ["get", "put"],
  written: "when the owner names addresses; they stay for a later gateway",
});
