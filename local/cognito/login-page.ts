// `/login` and `/newPassword`: signing in with e-mail address and password.
import { AwsError } from "../aws/service.ts";
import { finishSignIn } from "./authorize.ts";
import { type AuthorizeRequest, readAuthorizeRequest } from "./authorize-request.ts";
import type { Answer, PoolContext } from "./context.ts";
import { formPage, pageLink, type Show, submitForm } from "./form-page.ts";
import { mailCode } from "./mails.ts";
import { type Field, type Link, showPage } from "./pages.ts";
import { passwordHint } from "./passwords.ts";
import type { Pool } from "./pool.ts";
import { emailIsUsername } from "./settings.ts";
import { answerNewPassword, challengeNewPassword, checkCredentials } from "./sign-in.ts";
import { mailsCodes } from "./sign-up.ts";

/** The field that names the person. */
export function usernameField(pool: Pool, value?: string): Field {
  return emailIsUsername(pool.settings)
    ? { name: "username", label: "Email", type: "email", autocomplete: "username", value }
    : { name: "username", label: "Username", type: "text", autocomplete: "username", value };
}

/** The field of a password that is chosen now. */
export function newPasswordField({ settings }: Pool, label: string): Field {
  const hint = passwordHint(settings.passwordPolicy);
  return { name: "password", label, type: "password", autocomplete: "new-password", hint };
}

/** `GET /login` */
export function showLogin(context: PoolContext): Answer {
  const request = readAuthorizeRequest(context);
  return loginPage(context, request, notices[context.req.query("notice") ?? ""])(200);
}

/** What another page may say here. */
const notices: Record<string, string> = {
  confirmed: "Your account is confirmed. Sign in to continue.",
  "password-changed": "Your password is changed. Sign in with the new one.",
};

/** `POST /login` */
export function login(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const { pool, form } = context.var;
  const username = form.get("username") ?? "";
  return submitForm(context, loginPage(context, request), async () => {
    if (!takesPasswords(request)) throw new AwsError("NotAuthorizedException", "This client takes no passwords.");
    const user = await checkCredentials(pool, request.client, username, form.get("password") ?? "").catch(
      (error: unknown) => (isUnconfirmed(error) ? undefined : Promise.reject(error)),
    );
    if (!user) return askForCode(context, request, username);
    if (user.status === "FORCE_CHANGE_PASSWORD") {
      return newPasswordPage(context, request, challengeNewPassword(pool, request.client, user))(200);
    }
    return finishSignIn(context, request, { username: user.username, provider: "COGNITO" });
  });
}

function isUnconfirmed(error: unknown): boolean {
  return error instanceof AwsError && error.code === "UserNotConfirmedException";
}

/** The right password of an account that is not confirmed: mails a code again. */
async function askForCode(context: PoolContext, request: AuthorizeRequest, username: string): Promise<Response> {
  const { pool } = context.var;
  if (!mailsCodes(pool)) throw new AwsError("UserNotConfirmedException", "User is not confirmed.");
  const user = pool.users.get(username);
  await mailCode(pool, user, "sign-up");
  return context.redirect(pageLink(context, request, "/confirmUser", { username }));
}

/** `POST /newPassword`: what follows a temporary password. */
export function newPassword(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const { pool, form } = context.var;
  const session = form.get("session") ?? "";
  return submitForm(context, newPasswordPage(context, request, session), async () => {
    const user = await answerNewPassword(pool, request.client, session, form.get("password") ?? "");
    return finishSignIn(context, request, { username: user.username, provider: "COGNITO" });
  });
}

function loginPage(context: PoolContext, request: AuthorizeRequest, notice?: string): Show {
  const providers = providersOf(context, request);
  if (!takesPasswords(request))
    return (status, problem) => showPage(context, status, { title: "Sign in", problem, providers });
  const username = context.var.form.get("username") ?? request.loginHint;
  return formPage(context, request, {
    title: "Sign in",
    notice,
    action: "/login",
    fields: [
      usernameField(context.var.pool, username),
      { name: "password", label: "Password", type: "password", autocomplete: "current-password" },
    ],
    submit: "Sign in",
    providers,
    links: linksOf(context, request),
  });
}

function providersOf(context: PoolContext, request: AuthorizeRequest): Link[] {
  const external = request.client.settings.supportedIdentityProviders.filter((name) => name !== "COGNITO");
  return external.map((name) => ({
    href: pageLink(context, request, "/oauth2/authorize", { identity_provider: name }),
    text: `Continue with ${name}`,
  }));
}

function linksOf(context: PoolContext, request: AuthorizeRequest): Link[] {
  const forgot = { href: pageLink(context, request, "/forgotPassword"), text: "Forgot your password?" };
  const signUp = { href: pageLink(context, request, "/signup"), text: "Sign up" };
  const invitedOnly = context.var.pool.settings.adminCreateUserConfig?.allowAdminCreateUserOnly;
  return [forgot, ...(invitedOnly ? [] : [signUp])];
}

function takesPasswords({ client }: AuthorizeRequest): boolean {
  return client.settings.supportedIdentityProviders.includes("COGNITO");
}

function newPasswordPage(context: PoolContext, request: AuthorizeRequest, session: string): Show {
  return formPage(context, request, {
    title: "Change your password",
    notice: "Your password is temporary. Choose a new one.",
    action: "/newPassword",
    fields: [newPasswordField(context.var.pool, "New password")],
    hidden: { session },
    submit: "Change password",
  });
}
