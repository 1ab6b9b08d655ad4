// Billing over HTTP, for the owner: the platform's own figures, the payment provider's, and links to the provider's pages.
import type { PaymentState } from "../../../domain/billing/owner-payments.ts";
import { usdNumber } from "../../../domain/kernel/money.ts";
import { fieldRefusal, Refusal } from "../../../domain/kernel/refusal.ts";
import { monthStatement } from "../../../domain/reporting/month-statement.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { billingRoutes } from "./billing.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  "rollups" | "ledger" | "progress" | "firstCalls" | "tenants" | "billing" | "payments" | "clock" | "log" | "settings"
>;

type Shown = PaymentState & { state: "off" | "pending" | "ready" | "unavailable" };

export function billingOperations(deps: Dependencies): Operations<typeof billingRoutes> {
  const { tenants, billing, payments, clock, log, settings } = deps;

  return {
    async getBilling({ caller: { tenantId } }) {
      const now = clock();
      // Looking at the provider may bring the workspace in line with it, so the workspace is read after that.
      const provider = await atProvider(tenantId);
      const [tenant, credit, statement] = await Promise.all([
        tenants.get(tenantId),
        billing.credit(tenantId),
        monthStatement(deps, tenantId, now),
      ]);
      const { balance, ...rest } = provider;
      return {
        as_of: new Date(now).toISOString(),
        free_credit: {
          granted_tokens: credit.granted,
          spent_tokens: credit.spent,
          left_tokens: Math.max(0, credit.granted - credit.spent),
        },
        month: {
          month: statement.month,
          list_price_usd: usdNumber(statement.listPrice),
          price_usd: usdNumber(statement.price),
          markup: statement.markup,
          complete: statement.isComplete,
        },
        reported_usd: usdNumber(statement.reported),
        unreported_usd: usdNumber(statement.unreported),
        has_payment_method: tenant?.has_payment_method ?? false,
        payments: { ...rest, balance_usd: rest.state === "ready" ? balance : null },
      };
    },

    async setUpPayment({ caller, query: { origin } }) {
      const address = `${originOf(origin)}/billing`;
      const back = { successUrl: `${address}?payment=added`, cancelUrl: address };
      return { url: await enabled().setupPage(caller.tenantId, back) };
    },

    async openPortal({ caller, query: { origin } }) {
      return { url: await enabled().portalPage(caller.tenantId, { returnUrl: `${originOf(origin)}/billing` }) };
    },
  };

  /** Never rejects: if the payment provider does not answer, the owner still sees the platform's own figures. */
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

  /** The page leads back to one of the console's addresses, never to any other. @throws Refusal invalid_request */
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
}
