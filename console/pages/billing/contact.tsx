// The form of the billing contact: the addresses that get the mails about payments, and the order number that invoices name.
import type { FormEvent } from "react";
import type { Answer } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useChange } from "../../app/query.ts";
import { Field, FormProblem, SaveActions } from "../../parts/field.tsx";

type Contact = Answer<"GET /v1/billing">["contact"];

export function ContactForm({ billing_emails, purchase_order = "" }: Contact) {
  const save = useChange((body: { billing_emails: string[]; purchase_order: string | null }) =>
    call("PATCH /v1/billing", { body }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const order = String(form.get("purchase_order")).trim();
    const emails = String(form.get("billing_emails"))
      .split(/[\s,;]+/)
      .filter(Boolean);
    save.mutate({ billing_emails: [...new Set(emails)], purchase_order: order === "" ? null : order });
  };
  return (
    <form onSubmit={submit}>
      <h2>Mails and order number</h2>
      <Field
        label="Mails about payments go to"
        name="billing_emails"
        defaultValue={billing_emails.join(", ")}
        error={save.error}
        hint="Addresses, with commas between them. Empty: to the owner."
      />
      <Field
        label="Purchase order number"
        name="purchase_order"
        defaultValue={purchase_order}
        error={save.error}
        hint="Stands on every invoice of this workspace."
      />
      <FormProblem error={save.error} />
      <SaveActions of={save} saved="Saved." />
    </form>
  );
}
