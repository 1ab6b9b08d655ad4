// `/signup`, `/confirmUser`, `/forgotPassword` and `/confirmForgotPassword`: what goes by a mailed code.

import { requiredAttributes } from "./attributes.ts";
import { type AuthorizeRequest, readAuthorizeRequest } from "./authorize-request.ts";
import { formPage, pageLink, type Show, submitForm } from "./form-page.ts";
import { type Answer, type Exchange, redirect } from "./http.ts";
import { usernameField } from "./login-page.ts";
import type { Field } from "./pages.ts";
import type { Pool } from "./pool.ts";
import { emailIsUsername } from "./settings.ts";
import { confirmForgotPassword, confirmSignUp, forgotPassword, signUp } from "./sign-up.ts";

const codeField: Field = { name: "code", label: "Code", type: "text", autocomplete: "one-time-code" };

/** `GET /signup` */
export function showSignUp(pool: Pool, exchange: Exchange): Answer {
  return signUpPage(pool, exchange, readAuthorizeRequest(pool, exchange.query))(200);
}

/** `POST /signup` */
export function submitSignUp(pool: Pool, exchange: Exchange): Promise<Answer> {
  const request = readAuthorizeRequest(pool, exchange.query);
  const { form } = exchange;
  return submitForm(exchange, signUpPage(pool, exchange, request), async () => {
    const username = form.get("username") ?? "";
    const attributes = Object.fromEntries(asked(pool).map((name) => [name, form.get(name) ?? ""]));
    const user = await signUp(pool, request.client, { username, password: form.get("password") ?? "", attributes });
    if (user.status === "CONFIRMED") return redirect(pageLink(exchange, request, "/login", { notice: "confirmed" }));
    return redirect(pageLink(exchange, request, "/confirmUser", { username }));
  });
}

/** The attributes that the form asks for besides the username. */
function asked(pool: Pool): string[] {
  const fromUsername = emailIsUsername(pool.settings) ? ["email"] : [];
  const names = new Set([...requiredAttributes(pool.settings), "email"]);
  return [...names].filter((name) => !fromUsername.includes(name));
}

function signUpPage(pool: Pool, exchange: Exchange, request: AuthorizeRequest): Show {
  const { passwordPolicy } = pool.settings;
  const attributes = asked(pool).map(
    (name): Field => ({
      name,
      label: name,
      type: name === "email" ? "email" : "text",
      value: exchange.form.get(name) ?? "",
    }),
  );
  const hint = `At least ${passwordPolicy.minimumLength} characters`;
  return formPage(exchange, request, {
    title: "Sign up",
    action: "/signup",
    fields: [
      usernameField(pool, exchange.form.get("username") ?? undefined),
      ...attributes,
      { name: "password", label: "Password", type: "password", autocomplete: "new-password", hint },
    ],
    submit: "Sign up",
    links: [{ href: pageLink(exchange, request, "/login"), text: "Sign in instead" }],
  });
}

/** `GET /confirmUser` */
export function showConfirmUser(pool: Pool, exchange: Exchange): Answer {
  return confirmUserPage(exchange, readAuthorizeRequest(pool, exchange.query), usernameOf(exchange))(200);
}

/** `POST /confirmUser` */
export function submitConfirmUser(pool: Pool, exchange: Exchange): Promise<Answer> {
  const request = readAuthorizeRequest(pool, exchange.query);
  const username = usernameOf(exchange);
  return submitForm(exchange, confirmUserPage(exchange, request, username), async () => {
    await confirmSignUp(pool, request.client, username, exchange.form.get("code") ?? "");
    return redirect(pageLink(exchange, request, "/login", { notice: "confirmed" }));
  });
}

function confirmUserPage(exchange: Exchange, request: AuthorizeRequest, username: string): Show {
  return formPage(exchange, request, {
    title: "Confirm your account",
    notice: `We have sent a code by email to ${username}.`,
    action: "/confirmUser",
    fields: [codeField],
    hidden: { username },
    submit: "Confirm account",
    links: [{ href: pageLink(exchange, request, "/login"), text: "Sign in, and get another code" }],
  });
}

/** `GET /forgotPassword` */
export function showForgotPassword(pool: Pool, exchange: Exchange): Answer {
  return forgotPasswordPage(pool, exchange, readAuthorizeRequest(pool, exchange.query))(200);
}

/** `POST /forgotPassword`. A client that tells nobody who has an account says the same for everyone. */
export function submitForgotPassword(pool: Pool, exchange: Exchange): Promise<Answer> {
  const request = readAuthorizeRequest(pool, exchange.query);
  const username = usernameOf(exchange);
  const tells = request.client.settings.preventUserExistenceErrors === "LEGACY";
  return submitForm(exchange, forgotPasswordPage(pool, exchange, request), async () => {
    const user = tells ? pool.users.get(username) : pool.users.find(username);
    if (user) await forgotPassword(pool, user);
    return redirect(pageLink(exchange, request, "/confirmForgotPassword", { username }));
  });
}

function forgotPasswordPage(pool: Pool, exchange: Exchange, request: AuthorizeRequest): Show {
  return formPage(exchange, request, {
    title: "Forgot your password?",
    action: "/forgotPassword",
    fields: [usernameField(pool, exchange.form.get("username") ?? undefined)],
    submit: "Send me a code",
    links: [{ href: pageLink(exchange, request, "/login"), text: "Sign in instead" }],
  });
}

/** `GET /confirmForgotPassword` */
export function showConfirmForgotPassword(pool: Pool, exchange: Exchange): Answer {
  const request = readAuthorizeRequest(pool, exchange.query);
  return confirmForgotPasswordPage(exchange, request, usernameOf(exchange))(200);
}

/** `POST /confirmForgotPassword` */
export function submitConfirmForgotPassword(pool: Pool, exchange: Exchange): Promise<Answer> {
  const request = readAuthorizeRequest(pool, exchange.query);
  const username = usernameOf(exchange);
  const { form } = exchange;
  return submitForm(exchange, confirmForgotPasswordPage(exchange, request, username), async () => {
    const [code, password] = [form.get("code") ?? "", form.get("password") ?? ""];
    await confirmForgotPassword(pool, request.client, username, code, password);
    return redirect(pageLink(exchange, request, "/login", { notice: "password-changed" }));
  });
}

function confirmForgotPasswordPage(exchange: Exchange, request: AuthorizeRequest, username: string): Show {
  return formPage(exchange, request, {
    title: "Choose a new password",
    notice: `If ${username} has an account, we have sent a code to it by email.`,
    action: "/confirmForgotPassword",
    fields: [codeField, { name: "password", label: "New password", type: "password", autocomplete: "new-password" }],
    hidden: { username },
    submit: "Change password",
  });
}

/** From the form, or from the address that led to it. */
function usernameOf({ form, query }: Exchange): string {
  return form.get("username") ?? query.get("username") ?? "";
}
