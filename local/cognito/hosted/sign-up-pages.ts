// `/signup`, `/confirmUser`, `/forgotPassword` and `/confirmForgotPassword`: what goes by a mailed code.
import { requiredAttributes } from "../people/attributes.ts";
import { confirmForgotPassword, confirmSignUp, forgotPassword, resendCode, signUp } from "../people/sign-up.ts";
import type { Pool } from "../pool.ts";
import { emailIsUsername } from "../settings.ts";
import { type AuthorizeRequest, readAuthorizeRequest } from "./authorize-request.ts";
import type { Answer, PoolContext } from "./context.ts";
import { codeField, newPasswordField, usernameField } from "./fields.ts";
import { formPage, pageLink, type Show, submitForm } from "./form-page.ts";
import type { Field } from "./pages.ts";

/** `GET /signup` */
export function showSignUp(context: PoolContext): Answer {
  return signUpPage(context, readAuthorizeRequest(context))(200);
}

/** `POST /signup` */
export function submitSignUp(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const { pool, form } = context.var;
  return submitForm(context, signUpPage(context, request), async () => {
    const username = form.get("username") ?? "";
    const attributes = Object.fromEntries(attributeNames(pool).map((name) => [name, form.get(name) ?? ""]));
    const user = await signUp(pool, request.client, { username, password: form.get("password") ?? "", attributes });
    const login = pageLink(context, request, "/login", { notice: "confirmed", login_hint: username });
    const confirm = pageLink(context, request, "/confirmUser", { username });
    return context.redirect(user.status === "CONFIRMED" ? login : confirm);
  });
}

/** The attributes that the form asks for besides the username. */
function attributeNames(pool: Pool): string[] {
  const fromUsername = emailIsUsername(pool.settings) ? ["email"] : [];
  const names = new Set([...requiredAttributes(pool.settings), "email"]);
  return [...names].filter((name) => !fromUsername.includes(name));
}

function signUpPage(context: PoolContext, request: AuthorizeRequest): Show {
  const { pool, form } = context.var;
  const attributes = attributeNames(pool).map(
    (name): Field => ({
      name,
      label: name,
      type: name === "email" ? "email" : "text",
      value: form.get(name) ?? "",
    }),
  );
  return formPage(context, request, {
    title: "Sign up",
    action: "/signup",
    fields: [usernameField(pool, form.get("username") ?? undefined), ...attributes, newPasswordField(pool, "Password")],
    submit: "Sign up",
    links: [{ href: pageLink(context, request, "/login"), text: "Sign in instead" }],
  });
}

/** `GET /confirmUser` */
export function showConfirmUser(context: PoolContext): Answer {
  return confirmUserPage(context, readAuthorizeRequest(context), usernameOf(context))(200);
}

/** `POST /confirmUser` */
export function submitConfirmUser(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const { pool, form } = context.var;
  const username = usernameOf(context);
  return submitForm(context, confirmUserPage(context, request, username), async () => {
    if (form.has("again")) {
      await resendCode(pool, request.client, username);
      return confirmUserPage(context, request, username, `We have sent another code by email to ${username}.`)(200);
    }
    await confirmSignUp(pool, request.client, username, form.get("code") ?? "");
    return context.redirect(pageLink(context, request, "/login", { notice: "confirmed", login_hint: username }));
  });
}

function confirmUserPage(
  context: PoolContext,
  request: AuthorizeRequest,
  username: string,
  notice = `We have sent a code by email to ${username}.`,
): Show {
  return formPage(context, request, {
    title: "Confirm your account",
    notice,
    action: "/confirmUser",
    fields: [codeField],
    hidden: { username },
    submit: "Confirm account",
    again: "Send another code",
    links: [{ href: pageLink(context, request, "/login"), text: "Sign in instead" }],
  });
}

/** `GET /forgotPassword` */
export function showForgotPassword(context: PoolContext): Answer {
  return forgotPasswordPage(context, readAuthorizeRequest(context))(200);
}

/**
 * `POST /forgotPassword`. A client that hides who has an account says the same for nobody and for who has no verified address
 * (docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pool-managing-errors.html).
 */
export function submitForgotPassword(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const username = usernameOf(context);
  const { pool } = context.var;
  const tells = request.client.settings.preventUserExistenceErrors === "LEGACY";
  return submitForm(context, forgotPasswordPage(context, request), async () => {
    const user = tells ? pool.users.get(username) : pool.users.find(username);
    if (user && (tells || user.attributes.email_verified === "true")) await forgotPassword(pool, user);
    return context.redirect(pageLink(context, request, "/confirmForgotPassword", { username }));
  });
}

function forgotPasswordPage(context: PoolContext, request: AuthorizeRequest): Show {
  const { pool, form } = context.var;
  return formPage(context, request, {
    title: "Forgot your password?",
    action: "/forgotPassword",
    fields: [usernameField(pool, form.get("username") ?? undefined)],
    submit: "Send me a code",
    links: [{ href: pageLink(context, request, "/login"), text: "Sign in instead" }],
  });
}

/** `GET /confirmForgotPassword` */
export function showConfirmForgotPassword(context: PoolContext): Answer {
  const request = readAuthorizeRequest(context);
  return confirmForgotPasswordPage(context, request, usernameOf(context))(200);
}

/** `POST /confirmForgotPassword` */
export function submitConfirmForgotPassword(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const username = usernameOf(context);
  const { pool, form } = context.var;
  return submitForm(context, confirmForgotPasswordPage(context, request, username), async () => {
    const [code, password] = [form.get("code") ?? "", form.get("password") ?? ""];
    await confirmForgotPassword(pool, request.client, username, code, password);
    return context.redirect(pageLink(context, request, "/login", { notice: "password-changed", login_hint: username }));
  });
}

function confirmForgotPasswordPage(context: PoolContext, request: AuthorizeRequest, username: string): Show {
  return formPage(context, request, {
    title: "Choose a new password",
    notice: `If ${username} has an account, we have sent a code to it by email.`,
    action: "/confirmForgotPassword",
    fields: [codeField, newPasswordField(context.var.pool, "New password")],
    hidden: { username },
    submit: "Change password",
  });
}

/** From the form, or from the address that led to it. */
function usernameOf({ req, var: variables }: PoolContext): string {
  return variables.form.get("username") ?? req.query("username") ?? "";
}
