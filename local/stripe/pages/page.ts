// One page of the local Stripe, and the fields for a card. Every value that comes from outside is escaped by `html`.
import { html, raw } from "hono/html";
import { testCards } from "../test-cards.ts";

export { html };

export type PageAnswer = { status: number; location?: string; document: string };

const style = raw(`
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f6f9fc; color: #1a1f36; }
  main { max-width: 26rem; margin: 8vh auto; padding: 2rem; background: #fff; border: 1px solid #d5dbe1; border-radius: .5rem; }
  h1 { font-size: 1.25rem; margin: 0 0 1rem; }
  h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
  label { display: block; margin: 1rem 0 .25rem; }
  input, select { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #6b7280; border-radius: .25rem; }
  button { margin: 1rem 0 0; padding: .6rem 1rem; font: inherit; color: #fff; background: #533afd; border: 0; border-radius: .25rem; }
  li form { display: inline; }
  li button { margin: 0 0 0 .5rem; padding: .2rem .5rem; font-size: .875rem; }
  ul { padding-left: 1.25rem; }
  .problem { padding: .75rem; background: #fef2f2; border: 1px solid #b91c1c; border-radius: .25rem; }
  .hint { margin: .25rem 0 0; font-size: .875rem; color: #4b5563; }
  nav a { display: block; margin-top: 1rem; color: #533afd; }
`);

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

/** To another address, after a form was sent. */
export function redirect(location: string): PageAnswer {
  return { status: 303, location, document: "" };
}

export function problem(text: string | undefined) {
  return text === undefined ? "" : html`<p class="problem" role="alert">${text}</p>`;
}

/** The fields of a card, with the test cards to choose from. */
export function cardFields(withCountry: boolean) {
  const country = html`<label for="country">Country</label>
<input id="country" name="country" autocomplete="country" maxlength="2" pattern="[A-Z]{2}" placeholder="US" required>
<label for="postal_code">ZIP or postal code</label>
<input id="postal_code" name="postal_code" autocomplete="postal-code">`;
  return html`<label for="number">Card number</label>
<input id="number" name="number" inputmode="numeric" autocomplete="cc-number" required aria-describedby="number-hint">
<p class="hint" id="number-hint">Test cards: ${Object.entries(testCards)
    .map(([number, { declinesSetup, declinesCharges }]) => {
      const does = declinesSetup ? "is declined" : declinesCharges ? "can be added, and fails when charged" : "works";
      return `${number} ${does}`;
    })
    .join("; ")}.</p>
<label for="expiry">Expiry (MM/YY)</label>
<input id="expiry" name="expiry" autocomplete="cc-exp" pattern="(0[1-9]|1[0-2])/[0-9]{2}" placeholder="12/34" required>
<label for="name">Name on card</label>
<input id="name" name="name" autocomplete="cc-name" required>
${withCountry ? country : ""}`;
}

export type CardForm = {
  number: string;
  month: number;
  year: number;
  name: string;
  country?: string;
  postal_code?: string;
};

/** What the card fields hold, or what is wrong with them. */
export function readCard(form: URLSearchParams, withCountry: boolean): CardForm | string {
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
