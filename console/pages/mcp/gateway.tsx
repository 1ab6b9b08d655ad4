// The workspace's MCP gateway: created, given a new secret and removed by the owner; its address for everybody.
import { type ReactNode, useState } from "react";
import type { Answer } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useIsOwner } from "../../app/page.ts";
import { useChange, useRead } from "../../app/query.ts";
import { Snippet } from "../../parts/copy.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { FormProblem } from "../../parts/field.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { When } from "../../parts/time.tsx";

import { ClientAddresses } from "./client-addresses.tsx";

type Shown = Answer<"POST /v1/mcp-gateway">;
type Known = Answer<"GET /v1/mcp-gateway">;

/** AgentCore takes a minute for a gateway. */
const lookMs = 3_000;

/** @param children what is shown below a gateway that is ready */
export function Gateway({ children }: { children: ReactNode }) {
  const isOwner = useIsOwner();
  const [isSettling, setSettling] = useState(false);
  const [shown, setShown] = useState<Shown>();
  const gateway = useRead("GET /v1/mcp-gateway", undefined, { refetchInterval: isSettling ? lookMs : false });
  const create = useChange(
    () => call("POST /v1/mcp-gateway"),
    (made) => {
      setShown(made);
      setSettling(true);
    },
  );
  const isMissing = gateway.error?.code === "not_found";
  if (isSettling && (gateway.data?.state === "ready" || isMissing)) setSettling(false);
  return (
    <>
      {isMissing ? (
        <Empty>
          {isOwner ? "The workspace has no gateway yet." : "The workspace has no gateway yet: its owner creates it."}
          {isOwner && (
            <p>
              <button
                type="button"
                className="main"
                disabled={create.isPending}
                onClick={() => create.mutate(undefined)}
              >
                {create.isPending ? "Creating, which takes up to a minute …" : "Create the gateway"}
              </button>
            </p>
          )}
        </Empty>
      ) : (
        <Loaded query={gateway}>
          {(known) => (
            <>
              <Details of={known} />
              {isOwner && <Changes of={known} onShown={setShown} onRemoved={() => setSettling(true)} />}
              {known.state !== "deleting" && <ClientAddresses of={known.redirect_uris} />}
              {known.state !== "deleting" && children}
            </>
          )}
        </Loaded>
      )}
      <FormProblem error={create.error} />
      {shown && (
        <SecretDialog
          title="For the form of your assistant"
          what="secret"
          secret={shown.client_secret}
          onStored={() => setShown(undefined)}
        >
          <p>In the order in which Claude asks for a connector:</p>
          <h3>URL</h3>
          <Snippet label="URL" text={shown.endpoint} />
          <h3>OAuth client id</h3>
          <Snippet label="OAuth client id" text={shown.client_id} />
          <h3>OAuth client secret</h3>
        </SecretDialog>
      )}
    </>
  );
}

const states: Record<Known["state"], string> = {
  creating: "It is being created, which takes up to a minute.",
  ready: "Ready.",
  failed: "It could not be created.",
  deleting: "It is being removed, with its integrations.",
};

function Details({ of: { state, reason, endpoint, created_at, previous_secret_until } }: { of: Known }) {
  return (
    <section>
      <h2>Gateway</h2>
      <p role="status">
        {states[state]} {reason} Created <When at={created_at} />
        {previous_secret_until && (
          <>
            ; the secret before the present one is good until <When at={previous_secret_until} />
          </>
        )}
        .
      </p>
      {endpoint && <Snippet label="address" text={endpoint} />}
      {endpoint && (
        <>
          <p>Most assistants need nothing but this address, and ask you to sign in. For Claude Code:</p>
          <Snippet label="command for Claude Code" text={`claude mcp add --transport http archway ${endpoint}`} />
          <p>To look at its tools from a terminal, with the MCP Inspector:</p>
          <Snippet
            label="command for the MCP Inspector"
            text={`npx @modelcontextprotocol/inspector --cli ${endpoint} --transport http --method tools/list`}
          />
        </>
      )}
    </section>
  );
}

type ChangesProps = { of: Known; onShown: (shown: Shown) => void; onRemoved: () => void };

function Changes({ of: { state }, onShown, onRemoved }: ChangesProps) {
  const [asked, setAsked] = useState<"rotate" | "remove">();
  const close = () => setAsked(undefined);
  const rotate = useChange(() => call("POST /v1/mcp-gateway/rotate-secret"));
  const remove = useChange(() => call("DELETE /v1/mcp-gateway"));
  if (state === "deleting") return null;
  return (
    <div className="actions">
      <button type="button" disabled={state !== "ready"} onClick={() => setAsked("rotate")}>
        New secret
      </button>
      <button type="button" className="danger" onClick={() => setAsked("remove")}>
        Remove the gateway
      </button>
      {asked === "rotate" && (
        <Confirm
          title="New secret for the gateway"
          action="Make a new secret"
          isPending={rotate.isPending}
          error={rotate.error}
          onClose={close}
          onConfirm={() =>
            rotate.mutate(undefined, {
              onSuccess: (shown) => {
                close();
                onShown(shown);
              },
            })
          }
        >
          <p>The present one is good for 24 hours more: give connectors the new one until then.</p>
        </Confirm>
      )}
      {asked === "remove" && (
        <Confirm
          title="Remove the gateway"
          action="Remove"
          isPending={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                close();
                onRemoved();
              },
            })
          }
        >
          <p>
            Its integrations and their credentials go with it, and tools end in every assistant. A new gateway has
            another address.
          </p>
        </Confirm>
      )}
    </div>
  );
}
