// MCP: the workspace's gateway, at which assistants find tools, and the integrations behind it.

import { useState } from "react";
import { Link } from "wouter";
import type { Answer } from "../../app/api.ts";
import { Rows, useList } from "../../parts/more.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";
import { AddIntegration } from "./add-integration.tsx";
import { Gateway } from "./gateway.tsx";
import { Marketplace } from "./marketplace.tsx";

export default function Mcp() {
  return (
    <>
      <PageHead title="MCP">
        Assistants find the tools of your APIs and MCP servers at one address, and every call of a tool is logged.
      </PageHead>
      <Gateway>
        <Integrations />
        <Marketplace />
      </Gateway>
    </>
  );
}

type Integration = Answer<"GET /v1/mcp-servers">["data"][number];

const kinds = { openapi: "API", mcp_server: "MCP server", runtime: "provider" } satisfies Record<
  Integration["target_mode"],
  string
>;

const columns: Column<Integration>[] = [
  { title: "Name", isHead: true, of: ({ server_id, name }) => <Link href={`/mcp/${server_id}`}>{name}</Link> },
  { title: "Kind", of: ({ target_mode, provider_id }) => provider_id ?? kinds[target_mode] },
  { title: "State", of: ({ state, reason }) => [state, reason].filter(Boolean).join(": ") },
  { title: "Tools", isNumber: true, of: ({ tools }) => (tools.offered ?? tools.all).length },
  { title: "Verified", of: ({ verification }) => <Verified of={verification} /> },
];

function Integrations() {
  const list = useList("GET /v1/mcp-servers", { query: {} });
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <h2>Integrations</h2>
      <p>
        <button type="button" onClick={() => setAdding(true)}>
          Add your own
        </button>
      </p>
      <Rows
        list={list}
        empty={<Empty>No integration yet. An API by its OpenAPI document, or an MCP server, becomes tools here.</Empty>}
      >
        {(rows) => <Table columns={columns} rows={rows} keyOf={({ server_id }) => server_id} />}
      </Rows>
      {isAdding && <AddIntegration onClose={() => setAdding(false)} />}
    </>
  );
}

function Verified({ of: verification }: { of: Integration["verification"] }) {
  if (!verification) return <>not yet</>;
  const { verified, verified_at, message } = verification;
  return verified ? <When at={verified_at} /> : <span className="wrong">{message ?? "failed"}</span>;
}
