// `/signup`, `/confirmUser`, `/forgotPassword` and `/confirmForgotPassword`: the pages around a mailed code.
import { confirmForgotPassword, confirmSignUp, forgotPassword, resendCode, signUp } from "../people/sign-up.ts";
import { type AuthorizeRequest, readAuthorizeRequest } from "./authorize-request.ts";
import type { Answer, PoolContext } from "./context.ts";
import { codeField, emailField, formPage, newPasswordField, pageLink, type Show, submitForm } from "./form-page.ts";

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
    const user = await signUp(pool, request.client, { username, password: form.get("password") ?? "" });
    const login = pageLink(context, request, "/login", { notice: "confirmed", login_hint: username });
    const confirm = pageLink(context, request, "/confirmUser", { username });
    return context.redirect(user.status === "CONFIRMED" ? login : confirm);
  });
}

function signUpPage(context: PoolContext, request: AuthorizeRequest): Show {
  const { pool, form } = context.var;
  return formPage(context, request, {
    title: "Sign up",
    action: "/signup",
    fields: [emailField(form.get("username") ?? undefined), newPasswordField(pool, "Password")],
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
      await resendCode(pool, username);
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

/** `POST /forgotPassword`. The next page is the same for a stranger. */
export function submitForgotPassword(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const username = usernameOf(context);
  return submitForm(context, forgotPasswordPage(context, request), async () => {
    await forgotPassword(context.var.pool, username);
    return context.redirect(pageLink(context, request, "/confirmForgotPassword", { username }));
  });
}

function forgotPasswordPage(context: PoolContext, request: AuthorizeRequest): Show {
  return formPage(context, request, {
    title: "Forgot your password?",
    action: "/forgotPassword",
    fields: [emailField(context.var.form.get("username") ?? undefined)],
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

/** Reads the username from the form, or from the page's address. */
function usernameOf({ req, var: variables }: PoolContext): string {
  return variables.form.get("username") ?? req.query("username") ?? "";
}
