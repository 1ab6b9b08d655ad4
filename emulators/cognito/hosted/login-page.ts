// `/login`: signing in with e-mail address and password.
import { AwsError } from "../../aws/service.ts";
import { mailCode } from "../mails.ts";
import { checkCredentials } from "../people/sign-in.ts";
import { proceed } from "./challenge-pages.ts";
import { emailField, type FormPage, type Visit } from "./form-page.ts";
import type { Link } from "./pages.ts";

/** The notices that another page may have shown here, by the parameter `notice`. */
const notices: Record<string, string> = {
  confirmed: "Your account is confirmed. Sign in to continue.",
  "password-changed": "Your password is changed. Sign in with the new one.",
};

export const loginPage: FormPage = {
  path: "/login",
  form: (visit) => ({
    title: "Sign in",
    notice: visit.context.req.method === "GET" ? notices[visit.context.req.query("notice") ?? ""] : undefined,
    fields: [
      emailField(visit.sent("username") || visit.request.loginHint),
      { name: "password", label: "Password", type: "password", autocomplete: "current-password" },
    ],
    submit: "Sign in",
    providers: providersOf(visit),
    links: [
      { href: visit.link("/forgotPassword"), text: "Forgot your password?" },
      { href: visit.link("/signup"), text: "Sign up" },
    ],
  }),
  async act(visit) {
    const { pool, context, link } = visit;
    const username = visit.sent("username");
    try {
      return await proceed(visit, await checkCredentials(pool, username, visit.sent("password")));
    } catch (error) {
      if (!(error instanceof AwsError) || error.code !== "UserNotConfirmedException") throw error;
      await mailCode(pool, pool.users.get(username), "ResendCode", visit.request.client.id);
      return context.redirect(link("/confirmUser", { username }));
    }
  },
};

function providersOf({ request, link }: Visit): Link[] {
  const external = request.client.settings.supportedIdentityProviders.filter((name) => name !== "COGNITO");
  return external.map((name) => ({
    href: link("/oauth2/authorize", { identity_provider: name }),
    text: `Continue with ${name}`,
  }));
}
