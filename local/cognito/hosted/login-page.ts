// `/login`: signing in with e-mail address and password.
import { AwsError } from "../../aws/service.ts";
import { mailCode } from "../mails.ts";
import { checkCredentials } from "../people/sign-in.ts";
import { mailsCodes } from "../people/sign-up.ts";
import { type AuthorizeRequest, readAuthorizeRequest } from "./authorize-request.ts";
import { proceed } from "./challenge-pages.ts";
import type { Answer, PoolContext } from "./context.ts";
import { usernameField } from "./fields.ts";
import { formPage, pageLink, type Show, submitForm } from "./form-page.ts";
import { type Link, showPage } from "./pages.ts";

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
    return proceed(context, request, user);
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
