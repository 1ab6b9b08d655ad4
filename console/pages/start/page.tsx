// The first run: make a key, paste one command, see the answer; the page notices the call by itself.

import { useState } from "react";
import { Link } from "wouter";
import { call } from "../../app/call.ts";
import { idempotencyKeys } from "../../app/idempotency-key.ts";
import { useIsOwner, useVisitor, useWorkspace } from "../../app/page.ts";
import { proxyUrl } from "../../app/platform.ts";
import { useChange, useRead } from "../../app/query.ts";
import { Snippet } from "../../parts/copy.tsx";
import { FormProblem } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { clients, type Shell } from "./clients.ts";
import { FirstCall } from "./first-call.tsx";

const placeholder = "<your key>";

export default function Start() {
  const workspace = useWorkspace();
  const { me } = useVisitor();
  const isOwner = useIsOwner();
  const [key, setKey] = useState<string>();
  const [shell, setShell] = useState<Shell>(/Windows/.test(navigator.userAgent) ? "powershell" : "posix");
  const [clientId, setClient] = useState("curl");
  const catalog = useRead("GET /v1/catalog");
  const [keyFor] = useState(idempotencyKeys);
  const create = useChange(() => call("POST /v1/keys", { body: { name: "First key" }, idempotencyKey: keyFor() }));
  const models = catalog.data?.data ?? [];
  const model = models.find(({ id }) => id.includes("haiku"))?.id ?? models[0]?.id ?? "claude-haiku-4-5";
  const client = clients.find(({ id }) => id === clientId) ?? clients[0];

  if (!isOwner && me.budget === undefined) {
    return (
      <>
        <PageHead title="First call" />
        <p>Your workspace's owner must still say which models you may call. You will see them here then.</p>
      </>
    );
  }
  return (
    <>
      <PageHead title="First call" />
      <h2>1. Create a key</h2>
      {key ? (
        <p>
          The key is in the command below, and shown nowhere again. <Link href="/keys">All keys</Link>
        </p>
      ) : (
        <>
          <p>A key lets a program spend your budget. You can revoke it at any time.</p>
          <button
            type="button"
            className="main"
            disabled={create.isPending}
            onClick={() => create.mutate(undefined, { onSuccess: (made) => setKey(made.key) })}
          >
            Create key
          </button>
          <FormProblem error={create.error} />
        </>
      )}
      <h2>2. Paste this into a terminal</h2>
      <div className="row">
        <fieldset className="tabs">
          <legend>Client</legend>
          {clients.map(({ id, title }) => (
            <label key={id}>
              <input type="radio" name="client" checked={id === clientId} onChange={() => setClient(id)} />
              {title}
            </label>
          ))}
        </fieldset>
        <fieldset className="tabs">
          <legend>Shell</legend>
          {(["posix", "powershell"] as const).map((name) => (
            <label key={name}>
              <input type="radio" name="shell" checked={name === shell} onChange={() => setShell(name)} />
              {name === "posix" ? "macOS, Linux" : "PowerShell"}
            </label>
          ))}
        </fieldset>
      </div>
      {client?.isAssistant && me.free_credit && !workspace.has_payment_method && (
        <p>
          An assistant's first question is longer than the free credit.{" "}
          {isOwner ? (
            <>
              <Link href="/billing">Add a payment method</Link> first, or try curl.
            </>
          ) : (
            "Your owner must add a payment method first. curl works without."
          )}
        </p>
      )}
      {client && (
        <Snippet
          label="command"
          text={client.snippet({ baseUrl: proxyUrl(workspace.slug), key: key ?? placeholder, model }, shell)}
        />
      )}
      <h2>3. See the answer</h2>
      <FirstCall />
    </>
  );
}
