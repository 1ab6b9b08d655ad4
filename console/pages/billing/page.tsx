// Billing: free credit, the month so far, payment set-up, invoices, the contact. The page waits for the provider's word after a set-up.

import { useSearchParams } from "wouter";
import { call } from "../../app/call.ts";
import { useWorkspace } from "../../app/page.ts";
import { useChange, useRead } from "../../app/query.ts";
import { FormProblem } from "../../parts/field.tsx";
import { count, usd } from "../../parts/money.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { utcMonth, When } from "../../parts/time.tsx";
import { ContactForm } from "./contact.tsx";
import { Invoices } from "./invoices.tsx";

export default function Billing() {
  const workspace = useWorkspace();
  const [search] = useSearchParams();
  const billing = useRead("GET /v1/billing");
  const open = useChange((page: "setup" | "portal") =>
    call(page === "setup" ? "POST /v1/billing/setup" : "POST /v1/billing/portal", {
      query: { origin: location.origin },
    }),
  );
  const leave = (page: "setup" | "portal") => open.mutate(page, { onSuccess: ({ url }) => location.assign(url) });
  // The page to which the provider returns proves nothing; its message to the platform does.
  const waits = search.get("payment") === "added" && !workspace.has_payment_method;
  const mine = useRead("GET /v1/tenants/my", undefined, { refetchInterval: waits ? 2_000 : false, enabled: waits });
  return (
    <>
      <PageHead title="Billing" />
      {waits && !mine.data?.has_payment_method && (
        <p role="status">Waiting for the payment provider's confirmation …</p>
      )}
      <Loaded query={billing}>
        {({ as_of, free_credit, month, unreported_usd, unpaid, has_payment_method, contact, payments }) =>
          payments.state === "off" ? (
            <Empty>This platform bills nobody.</Empty>
          ) : (
            <>
              <div className="cards">
                {free_credit && (
                  <section className="card">
                    <h2>Free credit</h2>
                    <p className="figure">{count(free_credit.left_tokens)} tokens left</p>
                    <p className="quiet">
                      {count(free_credit.spent_tokens)} of {count(free_credit.granted_tokens)} tokens used
                    </p>
                  </section>
                )}
                <section className="card">
                  <h2>{utcMonth(month.month)}</h2>
                  <p className="figure">{usd(month.price_usd)}</p>
                  <p className="quiet">
                    {usd(month.list_price_usd)} at list price
                    {month.unbilled_usd > 0 && `, less ${usd(month.unbilled_usd)} that nobody pays`}
                    {month.markup !== 1 && `, times ${month.markup}`}. {usd(unreported_usd)} is not yet on the way to an
                    invoice. As of <When at={as_of} />
                  </p>
                  {month.unbilled_usd > 0 && (
                    <p className="quiet">What was used while the platform billed nobody, nobody pays.</p>
                  )}
                  {!month.complete && (
                    <p className="wrong">The open hours hold more calls than are read here: the figures are too low.</p>
                  )}
                </section>
                {unpaid && (
                  <section className="card">
                    <h2>Used and not paid</h2>
                    <p className="figure">
                      {usd(unpaid.used_usd)} of {usd(unpaid.limit_usd)}
                    </p>
                    <p className="quiet">
                      In all of your workspaces.{" "}
                      {unpaid.reserved_usd > 0 && `${usd(unpaid.reserved_usd)} more are reserved for calls. `}
                      The limit grows with each paid invoice; from {usd(unpaid.billed_from_usd)} on, usage is invoiced
                      before the month's end.
                    </p>
                  </section>
                )}
                <section className="card">
                  <h2>Payment</h2>
                  <p className="figure">{has_payment_method ? "Ready" : "No payment method"}</p>
                  <div className="actions">
                    <button
                      type="button"
                      className={has_payment_method ? "" : "main"}
                      disabled={open.isPending}
                      onClick={() => leave("setup")}
                    >
                      {has_payment_method ? "Change it" : "Add a payment method"}
                    </button>
                    {payments.state === "ready" && (
                      <button type="button" disabled={open.isPending} onClick={() => leave("portal")}>
                        Payment methods and details
                      </button>
                    )}
                  </div>
                  <FormProblem error={open.error} />
                </section>
              </div>
              {payments.state === "unavailable" && (
                <p className="problem">The payment provider does not answer: its figures are missing.</p>
              )}
              {payments.state === "ready" && <Invoices />}
              <ContactForm {...contact} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
