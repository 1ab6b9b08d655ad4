// The sign-in pages: plain HTML that works without JavaScript. Every value that comes from outside is escaped by `html`.
import { html, raw } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Answer, PoolContext } from "./context.ts";
import { style, styleSource } from "./page-style.ts";

export type Field = {
  name: string;
  label: string;
  /** `code` is a text of digits. */
  type: "email" | "text" | "password" | "code" | "checkbox";
  autocomplete?: string;
  /** A checkbox is ticked if it has a value. */
  value?: string | undefined;
  hint?: string | undefined;
};

export type Form = {
  /** A relative link. */
  action: string;
  /** The hidden value that csrf.ts checks. */
  csrf: string;
  fields: Field[];
  /** The field that the problem is about. */
  wrong?: string | undefined;
  hidden?: Record<string, string>;
  submit: string;
  /** A second button, which sends the form as it is with `again`. */
  again?: string;
};

export type Link = { href: string; text: string };

export type Page = {
  title: string;
  /** The problem with the form that was sent. */
  problem?: string | undefined;
  /** What the person has just done, or is to do next. */
  notice?: string | undefined;
  form?: Form;
  /** Links to other ways of signing in. */
  providers?: Link[];
  links?: Link[];
};

/** The page loads nothing but its style, and no frame may hold it. A form may lead to a client's redirect, so that its target is free. */
const securityPolicy = `default-src 'none'; style-src ${styleSource}; base-uri 'none'; frame-ancestors 'none'`;

const headers = {
  "content-security-policy": securityPolicy,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

export function showPage(context: PoolContext, status: ContentfulStatusCode, page: Page): Answer {
  return context.html(document(page), status, headers);
}

/** Shows the error page, for requests that must not lead back to a client. */
export function showError(context: PoolContext, status: ContentfulStatusCode, problem: string): Answer {
  const notice = advice[problem] ?? "Go back to the application and try again.";
  return showPage(context, status, { title: "An error was encountered with the requested page", problem, notice });
}

/** The meaning of the words on Cognito's error page. */
const advice: Record<string, string> = {
  invalid_request: "The application that sent you here is not known, or the request is not complete.",
  redirect_mismatch: "The application wants you back at an address that is not registered for it, port included.",
};

function document({ title, problem, notice, form, providers = [], links = [] }: Page) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${form && problem !== undefined && "Error: "}${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${problem !== undefined && html`<div id="problem"><p class="problem" role="alert">${problem}</p></div>`}
${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
${form && formOf(form, problem !== undefined)}
${providers.length > 0 && html`<div class="providers">${form && html`<p>or</p>`}${providers.map(linkOf)}</div>`}
${links.length > 0 && html`<nav aria-label="Other pages">${links.map(linkOf)}</nav>`}
</main>
<footer>Local identity provider</footer>
</body>
</html>
`;
}

function linkOf({ href, text }: Link) {
  return html`<a href="${href}">${text}</a>`;
}

/** The focus is in the field with the problem, else in the first empty one, so that a person can type at once. */
function formOf({ action, csrf, fields, wrong, hidden = {}, submit, again }: Form, hasProblem: boolean) {
  const values = Object.entries({ _csrf: csrf, ...hidden });
  const first = fields.find(({ name }) => name === wrong) ?? fields.find(({ value }) => !value) ?? fields[0];
  return html`<form method="post" action="${action}">
${values.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields.map((field) => fieldOf(field, { focus: field === first, wrong: field.name === wrong, hasProblem }))}
<button type="submit">${submit}</button>
${again !== undefined && html`<button type="submit" name="again" value="true" formnovalidate>${again}</button>`}
</form>`;
}

type State = { focus: boolean; wrong: boolean; hasProblem: boolean };

function fieldOf({ name, label, type, autocomplete, value, hint }: Field, { focus, wrong, hasProblem }: State) {
  if (type === "checkbox") {
    const ticked = value !== undefined && html` checked`;
    return html`<label><input type="checkbox" name="${name}" value="true"${ticked}> ${label}</label>`;
  }
  const descriptions = [...(hint === undefined ? [] : [`${name}-hint`]), ...(focus && hasProblem ? ["problem"] : [])];
  const described = descriptions.length > 0 && html` aria-describedby="${descriptions.join(" ")}"`;
  const filled = value ? html` value="${value}"` : "";
  const invalid = wrong && html` aria-invalid="true"`;
  const digits = type === "code" && html` inputmode="numeric"`;
  const focused = focus && html` autofocus`;
  const help = hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`;
  return html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type === "code" ? "text" : type}" autocomplete="${autocomplete ?? "off"}" required${filled}${digits}${described}${invalid}${focused}>
${help}`;
}
