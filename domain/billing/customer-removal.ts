// Removal of a customer: the purge of an owner's last workspace deletes the owner's customer at the payment provider.
import type { Log } from "../kernel/log.ts";
import { together } from "../kernel/together.ts";
import type { UserStore } from "../people/user.ts";
import type { Recognition } from "../trust/recognition.ts";
import { auditEntry, platformTrail } from "../workspace/audit.ts";
import type { BillingTelemetry } from "./billing-telemetry.ts";
import type { Customer, CustomerStore } from "./customer.ts";
import { isOwed, owedCents } from "./debt.ts";
import type { PaymentProvider } from "./payment-provider.ts";

export type CustomerRemovalDependencies = {
  payments: () => Promise<PaymentProvider>;
  customers: CustomerStore;
  users: Pick<UserStore, "record">;
  recognition: Pick<Recognition, "leave" | "forget">;
  telemetry: BillingTelemetry;
  log: Log;
  clock: () => number;
  newId: () => string;
};

/**
 * Deletes the owner's customers at the payment provider, once the owner can open no workspace any more. May be repeated.
 * @returns how many customers this run deleted
 */
export async function removeCustomer(deps: CustomerRemovalDependencies, ownerSub: string): Promise<number> {
  const { customers, payments } = deps;
  const kept = await customers.get(ownerSub);
  const customer = (await unrecorded(deps, ownerSub, kept)) ?? kept;
  const isLeaving = customer !== undefined && (await customers.leave(customer));
  if (isLeaving) {
    await noteDebt(deps, customer);
    await (await payments()).deleteCustomer(customer.customer_id);
    await customers.remove(customer);
  }
  await customers.forgetAddress(ownerSub);
  return isLeaving ? 1 : 0;
}

/** Tells people of a debt that leaves with its owner, which nobody collects any more, and keeps it for when the owner comes again. */
async function noteDebt(
  { payments, recognition, telemetry, log, clock, newId }: CustomerRemovalDependencies,
  { owner_sub, customer_id: customerId, cards }: Customer,
): Promise<void> {
  const provider = await payments();
  const there = await provider.customerById(customerId);
  const [invoices, charges, methods] = await together([
    provider.invoices(customerId),
    provider.charges(customerId),
    there ? provider.paymentMethods(customerId) : [],
  ]);
  const fingerprints = methods.flatMap(({ fingerprint }) => fingerprint ?? []);
  const known = { email: there?.email, fingerprints, cards };
  const cents = owedCents({ invoices, charges, carriedCents: Math.max(0, there?.balanceCents ?? 0) });
  if (cents > 0) {
    const owed = { customer_id: customerId, cents, invoices: invoices.filter(isOwed).map(({ id }) => id) };
    const change = {
      tenant_id: platformTrail,
      actor: "payments",
      action: "billing.debt_left",
      target: owner_sub,
    } as const;
    const entry = auditEntry({ ...change, after: owed }, { id: newId(), now: clock() });
    if (await recognition.leave(known, { customerId, cents }, entry)) {
      log.problem("A debt has left with its owner: nobody collects it any more", owed);
      telemetry.unbilled("debt_left", { quantity: cents * microUsdPerCent });
    }
  }
  await recognition.forget(owner_sub, known);
}

const microUsdPerCent = 10_000;

/** A customer that exists at the provider and not in the table, since its creation was cut off between both. */
async function unrecorded(
  { customers, payments, users }: CustomerRemovalDependencies,
  sub: string,
  kept: Customer | undefined,
): Promise<Customer | undefined> {
  const inUse = await customers.addressInUse(sub);
  if (kept && inUse === undefined) return undefined;
  const email = inUse ?? (await users.record(sub)).profile?.email;
  const found = email === undefined ? undefined : await (await payments()).findCustomer({ sub, email });
  if (!found || found.id === kept?.customer_id) return undefined;
  await customers.put({ owner_sub: sub, customer_id: found.id }, kept);
  return customers.get(sub);
}
