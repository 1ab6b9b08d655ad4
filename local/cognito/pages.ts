// The sign-in pages: plain HTML that works without JavaScript. Every value that comes from outside is escaped by `html`.
import { html, raw } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Answer, PoolContext } from "./context.ts";

export type Field = {
  name: string;
  label: string;
  type: "email" | "text" | "password" | "checkbox";
  autocomplete?: string;
  value?: string | undefined;
  hint?: string | undefined;
};

export type Form = {
  /** A relative link. */
  action: string;
  /** See csrf.ts. */
  csrf: string;
  fields: Field[];
  hidden?: Record<string, string>;
  submit: string;
};

export type Link = { href: string; text: string };

export type Page = {
  title: string;
  /** What went wrong. */
  problem?: string | undefined;
  /** What was done or is to do. */
  notice?: string | undefined;
  form?: Form;
  links?: Link[];
};

const style = raw(`
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f3f4f6; color: #111827; }
  main { max-width: 22rem; margin: 10vh auto; padding: 2rem; background: #fff; border: 1px solid #d1d5db; border-radius: .5rem; }
  h1 { font-size: 1.25rem; margin: 0 0 1rem; }
  label { display: block; margin: 1rem 0 .25rem; }
  input:not([type=checkbox]) { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #6b7280; border-radius: .25rem; }
  button { width: 100%; margin: 1.5rem 0 .5rem; padding: .6rem; font: inherit; color: #fff; background: #1d4ed8; border: 0; border-radius: .25rem; }
  .problem { padding: .75rem; background: #fef2f2; border: 1px solid #b91c1c; border-radius: .25rem; }
  .notice { padding: .75rem; background: #eff6ff; border: 1px solid #1d4ed8; border-radius: .25rem; }
  .hint { margin: .25rem 0 0; font-size: .875rem; color: #4b5563; }
  nav a { display: block; margin-top: .5rem; color: #1d4ed8; }
`);

/** Nothing but this page and its style; no frame around it. Forms may lead to a client's redirect, so their target is free. */
const securityPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const headers = {
  "content-security-policy": securityPolicy,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

export function showPage(context: PoolContext, status: ContentfulStatusCode, page: Page): Answer {
  return context.html(document(page), status, headers);
}

/** For requests that must not lead anywhere. */
export function showError(context: PoolContext, status: ContentfulStatusCode, problem: string): Answer {
  return showPage(context, status, { title: "An error was encountered with the requested page", problem });
}

function document({ title, problem, notice, form, links = [] }: Page) {
  return html`<!doctype html>
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
${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
${form && formOf(form)}
${links.length > 0 && html`<nav aria-label="Other ways">${links.map(({ href, text }) => html`<a href="${href}">${text}</a>`)}</nav>`}
</main>
</body>
</html>
`;
}

function formOf({ action, csrf, fields, hidden = {}, submit }: Form) {
  const values = Object.entries({ _csrf: csrf, ...hidden });
  return html`<form method="post" action="${action}">
${values.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields.map(fieldOf)}
<button type="submit">${submit}</button>
</form>`;
}

function fieldOf({ name, label, type, autocomplete, value, hint }: Field) {
  if (type === "checkbox") {
    return html`<label><input type="checkbox" name="${name}" value="true"> ${label}</label>`;
  }
  const described = hint !== undefined && html` aria-describedby="${name}-hint"`;
  const filled = value !== undefined && html` value="${value}"`;
  const help = hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`;
  return html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete ?? "off"}" required${filled}${described}>
${help}`;
}
