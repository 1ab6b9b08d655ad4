// The frame of a page of the local Stripe, and the form fields of a card. `html` escapes every value that comes from outside.
import { html, raw } from "hono/html";
import type { CardInput } from "../payment-methods.ts";
import { testCards } from "../test-cards.ts";

export { html };

export type PageAnswer = { status: number; location?: string; document: string };

const style = raw(
  "body { font: 1rem/1.5 system-ui, sans-serif; max-width: 26rem; margin: 8vh auto; } label, input { display: block; }",
);

export function page(status: number, title: string, content: unknown): PageAnswer {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return { status, document: String(document) };
}

/** The answer to a form that was accepted: the browser goes on to another address. */
export function redirect(location: string): PageAnswer {
  return { status: 303, location, document: "" };
}

export function problem(text: string | undefined) {
  return text === undefined ? "" : html`<p role="alert">${text}</p>`;
}

/** The fields of a card, with the test cards to choose from. */
export function cardFields(withCountry: boolean) {
  const country = html`<label for="country">Country</label>
<input id="country" name="country" autocomplete="country" maxlength="2" pattern="[A-Z]{2}" placeholder="US" required>
<label for="postal_code">ZIP or postal code</label>
<input id="postal_code" name="postal_code" autocomplete="postal-code">`;
  return html`<label for="number">Card number</label>
<input id="number" name="number" inputmode="numeric" autocomplete="cc-number" required aria-describedby="number-hint">
<p id="number-hint">Test cards: ${Object.keys(testCards).join(", ")}.</p>
<label for="expiry">Expiry (MM/YY)</label>
<input id="expiry" name="expiry" autocomplete="cc-exp" pattern="(0[1-9]|1[0-2])/[0-9]{2}" placeholder="12/34" required>
<label for="name">Name on card</label>
<input id="name" name="name" autocomplete="cc-name" required>
${withCountry ? country : ""}`;
}

/** The card in the form fields, or a sentence that says what is wrong with them. */
export function readCard(form: URLSearchParams, withCountry: boolean): CardInput | string {
  const number = (form.get("number") ?? "").replaceAll(/[\s-]/g, "");
  const expiry = /^(0[1-9]|1[0-2])\/(\d{2})$/.exec((form.get("expiry") ?? "").replaceAll(" ", ""));
  const country = form.get("country")?.toUpperCase();
  if (!/^\d{12,19}$/.test(number)) return "Your card number is incomplete.";
  if (!expiry) return "Your card's expiration date is incomplete.";
  if (withCountry && !/^[A-Z]{2}$/.test(country ?? "")) return "Your country is incomplete.";
  const name = form.get("name") ?? "";
  const postal_code = form.get("postal_code") || undefined;
  const address = { ...(country && { country }), ...(postal_code && { postal_code }) };
  return { number, month: Number(expiry[1]), year: 2000 + Number(expiry[2]), name, ...address };
}
