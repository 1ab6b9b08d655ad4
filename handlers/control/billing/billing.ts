// Billing over HTTP, for the owner: the platform's own figures, the payment provider's, and links to the provider's pages.
import { billingContact, withContact } from "../../../domain/billing/billing-contact.ts";
import { billedFrom } from "../../../domain/billing/early-invoice.ts";
import type { PaymentState } from "../../../domain/billing/owner-payments.ts";
import { reservedOf, sliceMonths } from "../../../domain/budget/idle-slices.ts";
import { keptBack } from "../../../domain/budget/unexplained.ts";
import { usdNumber } from "../../../domain/kernel/money.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import { fieldRefusal, Refusal } from "../../../domain/kernel/refusal.ts";
import { together } from "../../../domain/kernel/together.ts";
import { oldestRollup } from "../../../domain/ledger/usage-range.ts";
import { freeCredit } from "../../../domain/reporting/free-credit.ts";
import { monthStatement } from "../../../domain/reporting/month-statement.ts";
import { billedNano } from "../../../domain/reporting/quantity.ts";
import { unpaidLimit, unpaidOf } from "../../../domain/trust/trust.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { changeTenant } from "../../../domain/workspace/tenant-change.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { billingRoutes } from "./billing.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  | ("rollups" | "ledger" | "progress" | "firstCalls" | "tenants" | "tenantChanges" | "allowances" | "idleSlices")
  | ("billing" | "payments" | "clock" | "newId" | "log" | "settings")
>;

type Shown = PaymentState & { state: "off" | "pending" | "ready" | "unavailable" };

export function billingOperations(deps: Dependencies): Operations<typeof billingRoutes> {
  const { tenants, allowances, idleSlices, billing, payments, clock, log, settings } = deps;

  return {
    async getBilling({ caller: { tenantId }, query }) {
      const now = clock();
      const month = shownMonth(query.month, now);
      // Looking at the provider may bring the workspace in line with it, so the workspace is read after that.
      const provider = await atProvider(tenantId);
      const [tenant, credit, statement] = await together([
        tenants.get(tenantId),
        billing.credit(tenantId),
        monthStatement(deps, tenantId, month, now),
      ]);
      const { balance, ...rest } = provider;
      const listPrice = statement.settled + statement.estimated;
      return {
        as_of: new Date(now).toISOString(),
        free_credit: payments && freeCredit(credit),
        month: {
          month: statement.month,
          list_price_usd: usdNumber(listPrice),
          settled_usd: usdNumber(statement.settled),
          estimated_usd: usdNumber(statement.estimated),
          unbilled_usd: usdNumber(statement.unbilled),
          credit_usd: usdNumber(statement.credit),
          billed_usd: usdNumber(statement.billed),
          price_usd: usdNumber(billedNano([{ cost: listPrice - statement.unbilled, markup: statement.markup }])),
          markup: statement.markup,
          complete: statement.isComplete,
        },
        reported_usd: usdNumber(statement.reported),
        unreported_usd: usdNumber(statement.unreported),
        has_payment_method: tenant?.has_payment_method ?? false,
        ...(tenant && { unpaid: await unpaid(tenant) }),
        contact: billingContact(tenant ?? {}),
        payments: { ...rest, ...(rest.state === "ready" && { balance_usd: balance }) },
      };
    },

    async listInvoices({ caller, query: { page } }) {
      return pageAnswer((await payments?.invoices(caller.tenantId, page)) ?? { items: [], next: undefined });
    },

    async changeBillingContact({ caller: { tenantId, sub }, body }) {
      const tenant = await tenants.get(tenantId);
      if (!tenant) throw new Refusal("not_found", "There is no such workspace");
      const change = (before: Tenant) => withContact(before, body);
      const after = await changeTenant(deps, tenant, { actor: sub, action: "tenant.billing_contact", change });
      // The next report of usage names what is missing on the invoices.
      await payments?.label(tenantId).catch((error) => {
        log.problem("A workspace's invoices are named later", { tenant_id: tenantId }, error);
      });
      return billingContact(after);
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

  async function unpaid({ owner_sub: ownerSub, tier }: Tenant) {
    const { trialCap, markup = 1 } = settings;
    if (trialCap === undefined || tier !== "starter") return undefined;
    const [account, holders] = await together([
      allowances.read(ownerSub),
      idleSlices.holders(ownerSub, sliceMonths(clock())),
    ]);
    const kept = keptBack(account, monthOf(clock()), trialCap);
    const reserved = Math.min(unpaidOf(account.drawn, account), reservedOf(holders));
    // Whole micro-USD: at list price the limit was rounded to nano-USD.
    const priced = (amount: number) => usdNumber(Math.round((amount * markup) / 1_000) * 1_000);
    const limit = unpaidLimit(trialCap, account);
    return {
      limit_usd: priced(limit),
      billed_from_usd: priced(billedFrom(limit)),
      used_usd: priced(Math.max(0, unpaidOf(account.drawn + kept, account) - reserved)),
      reserved_usd: priced(reserved),
    };
  }

  /** @throws Refusal invalid_request */
  function shownMonth(asked: string | undefined, now: number): string {
    const [first, last] = [monthOf(oldestRollup(now)), monthOf(now)];
    if (asked === undefined) return last;
    if (asked >= first && asked <= last) return asked;
    throw fieldRefusal("invalid_request", "month", `must be one from ${first} to ${last}`);
  }

  /** Never rejects: if the payment provider does not answer, the owner still sees the platform's own figures. */
  async function atProvider(tenantId: string): Promise<Shown> {
    const nothing = { balance: 0, invoices: [], disputes: [] };
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
