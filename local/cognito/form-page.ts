// What the sign-in pages have in common: showing a form within an authorization request, and taking what was sent.
import { AwsError } from "../aws/service.ts";
import type { AuthorizeRequest } from "./authorize-request.ts";
import { csrfFor, isOwnForm } from "./csrf.ts";
import { type Answer, type Exchange, linkTo } from "./http.ts";
import { type Field, type Link, showPage } from "./pages.ts";

export type FormPage = {
  title: string;
  notice?: string | undefined;
  /** The path that takes the form. */
  action: string;
  fields: Field[];
  hidden?: Record<string, string>;
  submit: string;
  /** Other pages of the same request. */
  links?: Link[];
};

/** Shows the form again with what went wrong. */
export type Show = (status: number, problem?: string) => Answer;

export function formPage(exchange: Exchange, request: AuthorizeRequest, page: FormPage): Show {
  const { title, notice, action, fields, hidden, submit, links = [] } = page;
  const { csrf, cookies } = csrfFor(exchange);
  const form = {
    action: linkTo(exchange, action, request.parameters),
    csrf,
    fields,
    submit,
    ...(hidden && { hidden }),
  };
  return (status, problem) => showPage(status, { title, problem, notice, form, links }, cookies);
}

/** Carries out a sent form. What Cognito refuses is shown on the page. */
export async function submitForm(exchange: Exchange, show: Show, act: () => Promise<Answer>): Promise<Answer> {
  if (!isOwnForm(exchange))
    return show(403, "This page did not come from here, or its cookie is gone. Please try again.");
  try {
    return await act();
  } catch (error) {
    if (error instanceof AwsError) return show(400, error.message);
    throw error;
  }
}

/** A link to another page of the same request, with further parameters. */
export function pageLink(
  exchange: Exchange,
  request: AuthorizeRequest,
  path: string,
  further: Record<string, string> = {},
): string {
  const parameters = new URLSearchParams(request.parameters);
  for (const [name, value] of Object.entries(further)) parameters.set(name, value);
  return linkTo(exchange, path, parameters);
}
