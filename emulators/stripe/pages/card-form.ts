// The fields of a card in a form, and the card that they say.
import { type CardInput, noAddress } from "../payment-methods.ts";
import { invalidRequest } from "../refusal.ts";
import { testAccounts, testCards } from "../test-cards.ts";
import type { Field } from "./page.ts";

const address: Field[] = [
  { name: "country", label: "Country", hint: "US" },
  { name: "postal_code", label: "ZIP or postal code", isOptional: true },
];

/** A test account in place of a card's number is a SEPA debit. */
const testNumbers = [...Object.keys(testCards), ...Object.keys(testAccounts)];

export function cardFields(withAddress: boolean): Field[] {
  return [
    { name: "number", label: "Card number", hint: `Test cards: ${testNumbers.join(", ")}` },
    { name: "expiry", label: "Expiry (MM/YY)", hint: "12/34" },
    { name: "name", label: "Name on card" },
    ...(withAddress ? address : []),
  ];
}

/** @throws StripeRefusal that says what is wrong with the fields */
export function readCard(form: URLSearchParams, withAddress: boolean): CardInput {
  const number = (form.get("number") ?? "").replaceAll(/[\s-]/g, "");
  const expiry = (form.get("expiry") ?? "").replaceAll(" ", "");
  const country = form.get("country")?.toUpperCase() || null;
  const isAccount = number in testAccounts;
  if (!isAccount && !/^\d{12,19}$/.test(number)) throw invalidRequest("Your card number is incomplete.");
  if (!isAccount && !/^(0[1-9]|1[0-2])\/\d{2}$/.test(expiry))
    throw invalidRequest("Your card's expiration date is incomplete.");
  if (withAddress && !/^[A-Z]{2}$/.test(country ?? "")) throw invalidRequest("Your country is incomplete.");
  return {
    ...{ number, name: form.get("name") },
    address: { ...noAddress, country, postal_code: form.get("postal_code") || null },
  };
}
