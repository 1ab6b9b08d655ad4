// The marketplace: providers that the platform knows, so that a workspace gives its credential alone.
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import type { Answer, CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { idempotencyKeys } from "../../app/idempotency-key.ts";
import { useChange, useRead } from "../../app/query.ts";
import { Dialog, SubmitActions } from "../../parts/dialog.tsx";
import { Field, FormProblem } from "../../parts/field.tsx";
import { Loaded } from "../../parts/state.tsx";

type Provider = Answer<"GET /v1/mcp-providers">["data"][number];

export function Marketplace() {
  const providers = useRead("GET /v1/mcp-providers");
  const [chosen, setChosen] = useState<Provider>();
  return (
    <>
      <h2>Marketplace</h2>
      <Loaded query={providers}>
        {({ data }) => (
          <div className="cards">
            {data.map((provider) => (
              <section key={provider.provider_id} className="card">
                <h3 className="row">
                  <img src={provider.icon} alt="" width="24" height="24" /> {provider.name}
                </h3>
                <p className="quiet">{provider.description}</p>
                <button type="button" onClick={() => setChosen(provider)}>
                  Add {provider.name}
                </button>
              </section>
            ))}
          </div>
        )}
      </Loaded>
      {chosen && <AddProvider of={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function AddProvider({ of, onClose }: { of: Provider; onClose: () => void }) {
  const { provider_id, name, secret, configuration, tools } = of;
  const [, go] = useLocation();
  const [keyFor] = useState(idempotencyKeys);
  const register = useChange((body: CallInput<"POST /v1/mcp-servers">["body"]) =>
    call("POST /v1/mcp-servers", { body, idempotencyKey: keyFor(body) }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const entries = configuration
      .map(({ name }) => ({ name, value: String(form.get(name) ?? "") }))
      .filter(({ value }) => value !== "");
    register.mutate(
      { provider_id, secret: String(form.get("secret")), ...(entries.length > 0 && { extra_env_entries: entries }) },
      { onSuccess: ({ server_id }) => go(`/mcp/${server_id}`) },
    );
  };
  return (
    <Dialog title={`Add ${name}`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          {tools.length} tools.{" "}
          <a href={secret.documentation_url} target="_blank" rel="noreferrer">
            {name} says where the credential comes from
          </a>
          .
        </p>
        <Field
          label={secret.label}
          name="secret"
          type="password"
          required
          error={register.error}
          hint={secret.description}
        />
        {configuration.map((one) => (
          <Field
            key={one.name}
            label={one.name}
            name={one.name}
            required={one.required}
            error={register.error}
            hint={one.description}
          />
        ))}
        <FormProblem error={register.error} />
        <SubmitActions
          onClose={onClose}
          isPending={register.isPending}
          action="Add"
          pending="Adding, which tries the credential first …"
        />
      </form>
    </Dialog>
  );
}
