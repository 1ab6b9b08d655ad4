// The frame of a page of the local Stripe, and its forms. `html` escapes every value that comes from outside.
import { html, raw } from "hono/html";

export { html };

/** What a page shows. Without a status it is 200, or that of the refusal of what was posted. */
export type Shown = { title: string; content: unknown; status?: number };

const style = raw(
  "body { font: 1rem/1.5 system-ui, sans-serif; max-width: 26rem; margin: 8vh auto; } label, input { display: block; }",
);

/** @param wrong why what was posted is refused */
export function documentOf({ title, content }: Shown, wrong?: string): string {
  return String(html`<!doctype html>
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
${wrong === undefined ? "" : html`<p role="alert">${wrong}</p>`}
${content}
</main>
</body>
</html>
`);
}

export type Field = { name: string; label: string; hint?: string; isOptional?: true };

/** @param sent what is posted beside the fields */
export function form(button: string, sent: Record<string, string>, fields: Field[] = []) {
  const hidden = Object.entries(sent).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const shown = fields.map(
    ({ name, label, hint, isOptional }) => html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" placeholder="${hint ?? ""}"${isOptional ? "" : raw(" required")}>`,
  );
  return html`<form method="post">${hidden}${shown}<button type="submit">${button}</button></form>`;
}

export function link(to: string | null | undefined, text: string) {
  return to ? html`<nav><a href="${to}">${text}</a></nav>` : "";
}

export function money(cents: number, currency: string): string {
  return `${(cents / 100).toFixed(2)} ${currency.toUpperCase()}`;
}
