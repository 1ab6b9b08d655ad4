// The beliefs that the product has about Stripe where Stripe publishes nothing, and the page that tells what a test account answered to each.
import Stripe from "stripe";

/** Each belief as a question, with the answer that the product assumes and with the change that another answer would make needful. */
export const beliefs = {
  begin: {
    question: "What does a metered subscription begin with, without a payment method?",
    assumed: "active, no invoice",
    otherwise:
      "Nothing is lost: a workspace gets its subscription within a day of its owner's card, and usage waits in the total. But until then the hourly reconciliation fails for each workspace (dead letters): let it wait for the card.",
  },
  last: {
    question: "Which of two values of a meter with `last` counts?",
    assumed: "the later time",
    otherwise: "Nothing: values are sent in the order of their times.",
  },
  decimals: {
    question: "Has the line of a meter decimals?",
    assumed: "yes",
    otherwise: "Less than a USD waits for the next month, and for the item at a workspace's end.",
  },
  first_hour: {
    question: "Is usage billed that is stamped in the hour in which the subscription began?",
    assumed: "yes",
    otherwise: "The next value bills it.",
  },
  empty: {
    question: "Is there a draft of a month without usage?",
    assumed: "yes",
    otherwise: "Nothing: usage of such a month is in the next one's total.",
  },
  grace: {
    question: "After how many hours is a draft final by itself?",
    assumed: "72",
    otherwise:
      "Set Billing > Subscriptions > Grace period for usage. A report that reads the draft earlier holds it by itself.",
  },
  held: {
    question: "Is a draft with a time of its own final at that time?",
    assumed: "yes",
    otherwise:
      "Nothing: late usage is on the next invoice, and a draft that is left for four days is made final by the report.",
  },
  late: {
    question: "How long does a draft with a time of its own take usage?",
    assumed: "until it is final",
    otherwise: "Late usage is on the next invoice, and `difference` is told for this one.",
  },
  lag: {
    question: "After how many seconds does a draft show a value?",
    assumed: "any",
    otherwise: "Above 72 hours each month's last usage is on the next invoice.",
  },
  thin: {
    question: "Is there a thin event of an invoice?",
    assumed: "v1.invoice.created",
    otherwise: "The webhook hears nothing; cards and debts are not seen.",
  },
  checkout: {
    question: "Does Checkout in setup mode keep address and name (`customer_update`)?",
    assumed: "yes",
    otherwise:
      "Nothing: the page opens without it. The owner gives name, address and tax id in the portal; until then tax goes by the card's address.",
  },
  cancel: {
    question: "What does cancelling with `invoice_now` leave?",
    assumed: "a draft that nobody advances",
    otherwise: "Nothing: a final invoice is read, and where there is none the rest is on an invoice of its own.",
  },
  negative: {
    question: "Does a draft take an item below zero?",
    assumed: "yes",
    otherwise: "What the last draft has too much is told (`overpaid`), and given back by `npm run billing:settle`.",
  },
  sibling: {
    question: "What is another subscription's open invoice once one is cancelled?",
    assumed: "open",
    otherwise:
      "Nothing: one that Stripe wrote off for that reason is tried at once, and counts as open. It must be paid by hand or by another card, since Stripe tries it no more.",
  },
  deleted: {
    question: "What is a deleted customer's open invoice, in the list of its invoices?",
    assumed: "open",
    otherwise: "Nothing: a purge collects before it deletes the customer.",
  },
} as const;

export type Belief = keyof typeof beliefs;
export type Finding = (typeof beliefs)[Belief] & { found: string };

/** The findings as a page of Markdown. */
export function probePage(findings: readonly Finding[], date: string): string {
  const rows = findings.map(({ question, assumed, found, otherwise }) => {
    const mark = isAsAssumed({ assumed, found }) ? found : `**${found}**`;
    return `| ${question} | ${assumed} | ${mark} | ${otherwise} |`;
  });
  return `# What Stripe answers, ${date}

\`npm run stripe:probe\` asked a test account (API ${Stripe.API_VERSION}). What is not as the product assumes is bold.

| Question | Assumed | Found | What another answer changes |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

export function isAsAssumed({ assumed, found }: Pick<Finding, "found"> & { assumed: string }): boolean {
  return assumed === "any" ? /^\d+$/.test(found) : assumed === found;
}
