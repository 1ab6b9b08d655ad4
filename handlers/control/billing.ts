// Billing, for the owner: what we know ourselves, what the payment provider has, and the way to its pages.
import type { PaymentState } from "../../domain/billing/owner-payments.ts";
import { type NanoUsd, usdNumber } from "../../domain/kernel/money.ts";
import { monthOf, nextMonth, startOfMonth } from "../../domain/kernel/period.ts";
import { fieldRefusal, Refusal } from "../../domain/kernel/refusal.ts";
import { UsageReader } from "../../domain/ledger/usage-reader.ts";
import type { billingRoutes } from "./billing.routes.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { Operations } from "./routing/operation.ts";

type Dependencies = Pick<
  ControlDependencies,
  "rollups" | "ledger" | "progress" | "firstCalls" | "tenants" | "billing" | "payments" | "clock" | "log" | "settings"
>;

type Shown = PaymentState & { state: "off" | "pending" | "ready" | "unavailable" };

const nanoPerMicro = 1_000;

export function billingOperations(deps: Dependencies): Operations<typeof billingRoutes> {
  const { tenants, billing, payments, clock, log, settings } = deps;
  const reader = new UsageReader(deps);

  return {
    async getBilling({ caller: { tenant_id } }) {
      const now = clock();
      const month = monthOf(now);
      const [tenant, credit, used, reported, unreported, there] = await Promise.all([
        tenants.get(tenant_id),
        billing.credit(tenant_id),
        usedIn(tenant_id, month),
        billing.reported(tenant_id, month),
        unreportedOf(tenant_id, month),
        atProvider(tenant_id),
      ]);
      const { balance, ...rest } = there;
      const isKnown = rest.state === "ready";
      return {
        as_of: new Date(now).toISOString(),
        free_credit: {
          granted_tokens: credit.granted,
          spent_tokens: credit.spent,
          left_tokens: Math.max(0, credit.granted - credit.spent),
        },
        month: {
          month,
          list_price_usd: usdNumber(used.cost),
          price_usd: usdNumber(nanoPriced(used.cost)),
          markup: settings.markup ?? 1,
          complete: used.isComplete && unreported.isComplete,
        },
        reported_usd: usdNumber(reported * nanoPerMicro),
        unreported_usd: usdNumber(unreported.cost),
        has_payment_method: tenant?.has_payment_method ?? false,
        payments: { ...rest, balance_usd: isKnown ? balance : null },
      };
    },

    async setUpPayment({ caller, query: { origin } }) {
      const address = `${originOf(origin)}/billing`;
      const back = { successUrl: `${address}?payment=added`, cancelUrl: address };
      return { url: await enabled().setupPage(caller.tenant_id, back) };
    },

    async openPortal({ caller, query: { origin } }) {
      return { url: await enabled().portalPage(caller.tenant_id, { returnUrl: `${originOf(origin)}/billing` }) };
    },
  };

  /** Of the month, at list price. */
  async function usedIn(tenantId: string, month: string): Promise<{ cost: NanoUsd; isComplete: boolean }> {
    const from = startOfMonth(month);
    const question = { tenantId, range: { from, to: nextMonth(from) }, by: ["month"], limit: 1 } as const;
    const { rows, isComplete } = await reader.read(question);
    return { cost: rows[0]?.cost ?? 0, isComplete };
  }

  /** All that the provider was not told of, with the markup. The hours of a month that is over are reported in the next one. */
  async function unreportedOf(tenantId: string, month: string): Promise<{ cost: NanoUsd; isComplete: boolean }> {
    const before = monthOf(startOfMonth(month) - 1);
    const [open, closed, kept] = await Promise.all([
      reader.billableSoFar(tenantId, { from: startOfMonth(before), to: nextMonth(startOfMonth(month)) }),
      billing.unreported(tenantId, [before, month]),
      billing.kept(tenantId),
    ]);
    const carried = kept.remainder.carried * nanoPerMicro;
    return { cost: nanoPriced(open.cost + closed + kept.difference) + carried, isComplete: open.isComplete };
  }

  /** Says so if the payment provider cannot be asked: the owner still sees what we know. */
  async function atProvider(tenantId: string): Promise<Shown> {
    const nothing = { balance: 0, subscription: null, invoices: [] };
    if (!payments) return { state: "off", ...nothing };
    try {
      const state = await payments.state(tenantId);
      return state ? { state: "ready", ...state } : { state: "pending", ...nothing };
    } catch (error) {
      log.problem("The payment provider's state of a workspace is not known", { tenant_id: tenantId }, error);
      return { state: "unavailable", ...nothing };
    }
  }

  /** Never where a caller wants: the page's end is the console. @throws Refusal invalid_request */
  function originOf(asked: string | undefined): string {
    const [first = ""] = settings.consoleOrigins;
    if (asked === undefined) return first;
    if (settings.consoleOrigins.includes(asked)) return asked;
    throw fieldRefusal("invalid_request", "origin", `must be one of ${settings.consoleOrigins.join(", ")}`);
  }

  /** @throws Refusal not_found */
  function enabled() {
    if (payments) return payments;
    throw new Refusal("not_found", "This platform bills nobody: there is nothing to set up.");
  }

  /** With the markup, to the nano-USD. */
  function nanoPriced(cost: NanoUsd): NanoUsd {
    return Math.round(cost * (settings.markup ?? 1));
  }
}
