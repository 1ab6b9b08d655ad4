// The test cards and bank accounts that people and tests use, and what each does (docs.stripe.com/testing).
import type { PaymentMethod } from "./objects.ts";

type TestCard = {
  brand: string;
  /** Stripe refuses to attach the card to a customer. */
  declinesSetup?: true;
  /** The card can be attached, and every charge fails. */
  declinesCharges?: true;
  /** Each charge without the person waits for their confirmation (docs.stripe.com/testing#authentication, "Always authenticate"). */
  asksPerson?: true;
  /** A charge succeeds, and is disputed at once. */
  disputesCharges?: true;
};

export const testCards: Record<string, TestCard> = {
  "4242424242424242": { brand: "visa" },
  "5555555555554444": { brand: "mastercard" },
  "4000000000000002": { brand: "visa", declinesSetup: true },
  "4000000000000259": { brand: "visa", disputesCharges: true },
  "4000000000000341": { brand: "visa", declinesCharges: true },
  "4000002760003184": { brand: "visa", asksPerson: true },
};

/** Bank accounts for SEPA debits: whether their debits fail (docs.stripe.com/payments/sepa-debit/accept-a-payment, "Test IBANs"). */
export const testAccounts: Record<string, { failsDebits: boolean }> = {
  DE89370400440532013000: { failsDebits: false },
  DE62370400440532013001: { failsDebits: true },
};

/** Ids of payment methods that a test may attach, with their card numbers. */
export const testMethods: Record<string, string> = {
  pm_card_visa: "4242424242424242",
  pm_card_createDispute: "4000000000000259",
  pm_card_chargeCustomerFail: "4000000000000341",
};

export function failsDebits({ sepa_debit }: PaymentMethod): boolean {
  return Object.entries(testAccounts).some(
    ([iban, { failsDebits }]) => failsDebits && sepa_debit?.fingerprint?.startsWith(fingerprintOf(iban)),
  );
}

export function chargeable(method: PaymentMethod): boolean {
  const card = cardOf(method);
  return card !== undefined && !card.declinesCharges && !card.asksPerson;
}

export function asksPerson(method: PaymentMethod): boolean {
  return cardOf(method)?.asksPerson === true;
}

export function disputesCharges(method: PaymentMethod): boolean {
  return cardOf(method)?.disputesCharges === true;
}

function cardOf({ card }: PaymentMethod): TestCard | undefined {
  const number = Object.keys(testCards).find((candidate) => card?.fingerprint?.startsWith(fingerprintOf(candidate)));
  return testCards[number ?? ""];
}

/** A card or a bank account is stored by this fingerprint, never by its number. */
export function fingerprintOf(number: string): string {
  return `local-${number.slice(0, 1)}-${number.slice(-4)}`;
}
