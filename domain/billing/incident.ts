// Incidents: money that goes back, by a bank's dispute, a refund or a credit note. Each is told once for each state in which it is seen.
import { type Account, takesBack } from "./debt.ts";

export type Incident = {
  /** Id of the dispute, of the charge or of the invoice. */
  id: string;
  action: "payment.dispute" | "payment.refund" | "invoice.credit";
  /** The dispute's status, or the cents that went back so far. */
  state: string;
  message: string;
  /** True if the money was taken back against the platform's will. */
  isHarm: boolean;
};

/** How many are told at once: they are items of one transaction. The next run tells the rest. */
const mostAtOnce = 5;

export function incidentsOf({ invoices, charges }: Account): Incident[] {
  return [
    ...charges.flatMap(({ dispute }): Incident[] => {
      if (!dispute) return [];
      const { id, status: state } = dispute;
      const message = "A payment is disputed, or its dispute has moved";
      return [{ id, action: "payment.dispute", state, message, isHarm: takesBack(dispute) }];
    }),
    ...charges.flatMap(({ id, refundedCents }): Incident[] =>
      refundedCents === 0
        ? []
        : [told(id, "payment.refund", refundedCents, "A payment was refunded at the payment provider")],
    ),
    ...invoices.flatMap(({ id, creditedCents }): Incident[] =>
      creditedCents === 0
        ? []
        : [told(id, "invoice.credit", creditedCents, "An invoice was credited at the payment provider")],
    ),
  ];
}

/** Incidents of whose present state nobody was told yet. @param seen the last state that was told, by id */
export function newIncidents(all: readonly Incident[], seen: Readonly<Record<string, string>> = {}): Incident[] {
  return all.filter(({ id, state }) => seen[id] !== state).slice(0, mostAtOnce);
}

function told(id: string, action: Incident["action"], cents: number, message: string): Incident {
  return { id, action, state: `${cents} cents`, message, isHarm: false };
}
