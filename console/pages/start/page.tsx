// The first run: make a key, paste one command, see the answer; the page notices the call by itself.

import { useEffect, useState } from "react";
import { Link } from "wouter";
import { call } from "../../app/call.ts";
import { idempotencyKeys } from "../../app/idempotency-key.ts";
import { useIsOwner, useVisitor, useWorkspace } from "../../app/page.ts";
import { proxyUrl } from "../../app/platform.ts";
import { useChange, useRead } from "../../app/query.ts";
import { Snippet } from "../../parts/copy.tsx";
import { FormProblem } from "../../parts/field.tsx";
import { usd } from "../../parts/money.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { clients, type Shell } from "./clients.ts";

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

/** Asks every two seconds, every ten after two minutes, and not while nobody looks. */
function FirstCall() {
  const [start] = useState(() => Date.now());
  const [now, setNow] = useState(start);
  const [before, setBefore] = useState<number>();
  const isHidden = now - start < 0 || document.hidden;
  const me = useRead("GET /v1/me", undefined, {
    refetchInterval: isHidden ? false : now - start < 120_000 ? 2_000 : 10_000,
  });
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const spent = (me.data?.budget?.spent_usd ?? 0) + (me.data?.budget?.reserved_usd ?? 0);
  useEffect(() => {
    if (me.data && before === undefined) setBefore(spent);
  }, [me.data, before, spent]);
  if (before !== undefined && spent > before) {
    return (
      <div className="success" role="status">
        <p>
          <strong>It works.</strong> Your calls this month come to {usd(spent)} at list price.
        </p>
        <p>
          Next: <Link href="/people">invite people</Link>, <Link href="/usage">see usage</Link>,{" "}
          <Link href="/models">choose models</Link>.
        </p>
      </div>
    );
  }
  return (
    <>
      <p role="status">Waiting for your first call …</p>
      {now - start > 60_000 && (
        <dl className="hints">
          <dt>401 authentication_error</dt>
          <dd>The key is not complete. Copy the whole command again.</dd>
          <dt>403 permission_error</dt>
          <dd>The model is not granted to you, or the address belongs to another workspace.</dd>
          <dt>404 not_found_error</dt>
          <dd>The model's name is not known here. The names are under Models.</dd>
          <dt>429 billing_error</dt>
          <dd>The budget or the free credit is spent. The owner raises it, or adds a payment method.</dd>
          <dt>An assistant does not start</dt>
          <dd>
            Run <code>archway doctor</code>: it tries what the assistant would do and says what is in the way.
          </dd>
        </dl>
      )}
    </>
  );
}
