// `/login`: signing in with e-mail address and password.
import { AwsError } from "../../aws/service.ts";
import { mailCode } from "../mails.ts";
import { checkCredentials } from "../people/sign-in.ts";
import { type AuthorizeRequest, readAuthorizeRequest } from "./authorize-request.ts";
import { proceed } from "./challenge-pages.ts";
import type { Answer, PoolContext } from "./context.ts";
import { emailField, formPage, pageLink, type Show, submitForm } from "./form-page.ts";
import type { Link } from "./pages.ts";

/** `GET /login` */
export function showLogin(context: PoolContext): Answer {
  const request = readAuthorizeRequest(context);
  return loginPage(context, request, notices[context.req.query("notice") ?? ""])(200);
}

/** The notices that another page may have shown here, by the parameter `notice`. */
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
    try {
      return await proceed(context, request, await checkCredentials(pool, username, form.get("password") ?? ""));
    } catch (error) {
      if (!(error instanceof AwsError) || error.code !== "UserNotConfirmedException") throw error;
      await mailCode(pool, pool.users.get(username), "sign-up");
      return context.redirect(pageLink(context, request, "/confirmUser", { username }));
    }
  });
}

function loginPage(context: PoolContext, request: AuthorizeRequest, notice?: string): Show {
  return formPage(context, request, {
    title: "Sign in",
    notice,
    action: "/login",
    fields: [
      emailField(context.var.form.get("username") ?? request.loginHint),
      { name: "password", label: "Password", type: "password", autocomplete: "current-password" },
    ],
    submit: "Sign in",
    providers: providersOf(context, request),
    links: [
      { href: pageLink(context, request, "/forgotPassword"), text: "Forgot your password?" },
      { href: pageLink(context, request, "/signup"), text: "Sign up" },
    ],
  });
}

function providersOf(context: PoolContext, request: AuthorizeRequest): Link[] {
  const external = request.client.settings.supportedIdentityProviders.filter((name) => name !== "COGNITO");
  return external.map((name) => ({
    href: pageLink(context, request, "/oauth2/authorize", { identity_provider: name }),
    text: `Continue with ${name}`,
  }));
}
