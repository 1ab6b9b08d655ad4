// The common part of the sign-in pages: a form within an authorization request is shown, and what it sends is carried out.
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AwsError } from "../../aws/service.ts";
import { passwordHint } from "../people/passwords.ts";
import type { Pool } from "../pool.ts";
import { type AuthorizeRequest, readAuthorizeRequest } from "./authorize-request.ts";
import { type Answer, linkTo, type PoolContext } from "./context.ts";
import { csrfToken, isOwnForm } from "./csrf.ts";
import { type Field, type Form, type Link, showPage } from "./pages.ts";

/** A browser at a page: the authorization request in the page's address, and what the browser has sent. */
export type Visit = {
  context: PoolContext;
  pool: Pool;
  request: AuthorizeRequest;
  /** The username of the form, else the one in the page's address. */
  username: string;
  /** A field of the form; empty if it was not sent. */
  sent(field: string): string;
  /** A link to another page of the same request, with further parameters. */
  link(path: string, further?: Record<string, string>): string;
};

export type FormPage = {
  /** The path that takes the form. */
  path: string;
  form(visit: Visit): Omit<Form, "action" | "csrf"> & {
    title: string;
    notice?: string | undefined;
    /** Links to external providers. */
    providers?: Link[];
    /** Links to other pages of the same request. */
    links?: Link[];
  };
  /** Carries a sent form out. @throws AwsError to be shown on the page */
  act(visit: Visit): Promise<Response>;
};

/** The words beside a page's form. `wrong` is the field that the problem is about. */
type Message = { problem?: string; wrong?: string | undefined; notice?: string };

/**
 * The words of the page that a client without a managed login style gets on a domain with managed login
 * (docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html; github.com/hashicorp/terraform-provider-aws/issues/42580).
 */
const noPages = "Login pages unavailable. Please contact an administrator.";

/** @throws HTTPException if the client has no pages on this host. */
export function visitOf(context: PoolContext): Visit {
  const request = readAuthorizeRequest(context);
  if (!context.var.pool.hasPages(request.client.id, context.env.host)) {
    throw new HTTPException(403, { res: new Response(`${noPages}\n`, { status: 403 }) });
  }
  const { pool, form } = context.var;
  return {
    context,
    pool,
    request,
    username: form.get("username") ?? context.req.query("username") ?? "",
    sent: (field) => form.get(field) ?? "",
    link(path, further = {}) {
      const parameters = new URLSearchParams(request.parameters);
      for (const [name, value] of Object.entries(further)) parameters.set(name, value);
      return linkTo(context, path, parameters);
    },
  };
}

export function show(page: FormPage, visit: Visit, message: Message = {}, status: ContentfulStatusCode = 200): Answer {
  const { context, link } = visit;
  const { title, notice, providers = [], links = [], ...form } = page.form(visit);
  const shown = { ...form, wrong: message.wrong, action: link(page.path), csrf: csrfToken(context) };
  return showPage(context, status, { title, notice, ...message, form: shown, providers, links });
}

/** The field that an error is about, where that is certain. */
const fieldOfError: Record<string, string> = {
  UserNotFoundException: "username",
  UsernameExistsException: "username",
  InvalidPasswordException: "password",
  CodeMismatchException: "code",
  ExpiredCodeException: "code",
};

/** The most that Cognito takes (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_SignUp.html). */
const maxUsername = 128;
const tooLong = `The username is longer than ${maxUsername} characters.`;

/** Carries out a sent form. A refusal of Cognito's is shown on the page. */
export async function submit(page: FormPage, visit: Visit): Promise<Response> {
  const refuse = (problem: string, wrong?: string, status: 400 | 403 = 400) =>
    show(page, visit, { problem, wrong }, status);
  if (!isOwnForm(visit.context)) {
    return refuse("This page did not come from here, or its cookie is gone. Please try again.", undefined, 403);
  }
  if (visit.sent("username").length > maxUsername) return refuse(tooLong, "username");
  try {
    return await page.act(visit);
  } catch (error) {
    if (error instanceof AwsError) return refuse(error.message, fieldOfError[error.code]);
    throw error;
  }
}

export function emailField(value?: string): Field {
  return { name: "username", label: "Email", type: "email", autocomplete: "username", value };
}

/** The field of a password that is chosen now. */
export function newPasswordField({ settings }: Pool, label: string): Field {
  const hint = passwordHint(settings.passwordPolicy);
  return { name: "password", label, type: "password", autocomplete: "new-password", hint };
}

export const codeField: Field = { name: "code", label: "Code", type: "code", autocomplete: "one-time-code" };
