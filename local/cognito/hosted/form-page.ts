// The common part of the sign-in pages: showing a form within an authorization request, and taking a sent one.
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AwsError } from "../../aws/service.ts";
import { passwordHint } from "../people/passwords.ts";
import type { Pool } from "../pool.ts";
import type { AuthorizeRequest } from "./authorize-request.ts";
import { type Answer, linkTo, type PoolContext } from "./context.ts";
import { csrfToken, isOwnForm } from "./csrf.ts";
import { type Field, type Link, showPage } from "./pages.ts";

export type FormPage = {
  title: string;
  notice?: string | undefined;
  /** The path that takes the form. */
  action: string;
  fields: Field[];
  hidden?: Record<string, string>;
  submit: string;
  /** A second button, which sends the form as it is with `again`. */
  again?: string;
  /** Links to external providers. */
  providers?: Link[];
  /** Links to other pages of the same request. */
  links?: Link[];
};

/** Shows the form, with the problem if there is one and the field that it is about. */
export type Show = (status: ContentfulStatusCode, problem?: string, wrong?: string) => Answer;

export function formPage(context: PoolContext, request: AuthorizeRequest, page: FormPage): Show {
  const { title, notice, action, providers = [], links = [], ...inputs } = page;
  return (status, problem, wrong) => {
    const form = { ...inputs, wrong, action: linkTo(context, action, request.parameters), csrf: csrfToken(context) };
    return showPage(context, status, { title, problem, notice, form, providers, links });
  };
}

/** The field that an error is about, where that is certain. */
const fieldOfError: Record<string, string> = {
  UserNotFoundException: "username",
  UsernameExistsException: "username",
  InvalidPasswordException: "password",
  CodeMismatchException: "code",
  ExpiredCodeException: "code",
};

/** docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_SignUp.html */
const maxUsername = 128;
const tooLong = `The username is longer than ${maxUsername} characters.`;

export function emailField(value?: string): Field {
  return { name: "username", label: "Email", type: "email", autocomplete: "username", value };
}

/** The field of a password that is chosen now. */
export function newPasswordField({ settings }: Pool, label: string): Field {
  const hint = passwordHint(settings.passwordPolicy);
  return { name: "password", label, type: "password", autocomplete: "new-password", hint };
}

export const codeField: Field = { name: "code", label: "Code", type: "code", autocomplete: "one-time-code" };

/** Carries out a sent form. A refusal of Cognito's is shown on the page. */
export async function submitForm(context: PoolContext, show: Show, act: () => Promise<Response>): Promise<Response> {
  if (!isOwnForm(context)) {
    return show(403, "This page did not come from here, or its cookie is gone. Please try again.");
  }
  const { form } = context.var;
  const twice = [...form.keys()].find((name) => form.getAll(name).length > 1);
  if (twice) return show(400, `${twice} is given more than once.`);
  if ((form.get("username") ?? "").length > maxUsername) return show(400, tooLong, "username");
  try {
    return await act();
  } catch (error) {
    if (error instanceof AwsError) return show(400, error.message, fieldOfError[error.code]);
    throw error;
  }
}

/** A link to another page of the same request, with further parameters. */
export function pageLink(
  context: PoolContext,
  request: AuthorizeRequest,
  path: string,
  further: Record<string, string> = {},
): string {
  const parameters = new URLSearchParams(request.parameters);
  for (const [name, value] of Object.entries(further)) parameters.set(name, value);
  return linkTo(context, path, parameters);
}
