// `/newPassword` and `/mfa`: the pages of a sign-in after the password.
import { answerNewPassword, answerSoftwareToken, challenge, nextChallenge } from "../people/sign-in.ts";
import type { ChallengeName } from "../people/sign-in-state.ts";
import type { User } from "../people/users.ts";
import { finishSignIn } from "./authorize.ts";
import { type AuthorizeRequest, readAuthorizeRequest } from "./authorize-request.ts";
import type { PoolContext } from "./context.ts";
import { codeField, formPage, newPasswordField, type Show, submitForm } from "./form-page.ts";

type ChallengePage = (context: PoolContext, request: AuthorizeRequest, session: string) => Show;

const pages: Record<ChallengeName, ChallengePage> = {
  NEW_PASSWORD_REQUIRED: newPasswordPage,
  SOFTWARE_TOKEN_MFA: softwareTokenPage,
};

/** Continues the sign-in of someone who has proved the password: with the next question, or back at the client. */
export async function proceed(context: PoolContext, request: AuthorizeRequest, user: User): Promise<Response> {
  const { pool } = context.var;
  const name = nextChallenge(pool, user);
  if (!name) return finishSignIn(context, request, { username: user.username, provider: "COGNITO" });
  return pages[name](context, request, challenge(pool, request.client, user, name))(200);
}

/** `POST /newPassword`, after a temporary password. */
export function newPassword(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const { pool, form } = context.var;
  const session = form.get("session") ?? "";
  return submitForm(context, newPasswordPage(context, request, session), async () => {
    const user = await answerNewPassword(pool, request.client, session, form.get("password") ?? "");
    return proceed(context, request, user);
  });
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

/** `POST /mfa`, after the password of someone who has turned the second factor on. */
export function softwareToken(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const { pool, form } = context.var;
  const session = form.get("session") ?? "";
  return submitForm(context, softwareTokenPage(context, request, session), async () => {
    const user = answerSoftwareToken(pool, request.client, session, form.get("code") ?? "");
    return finishSignIn(context, request, { username: user.username, provider: "COGNITO" });
  });
}

function softwareTokenPage(context: PoolContext, request: AuthorizeRequest, session: string): Show {
  return formPage(context, request, {
    title: "Enter the code of your app",
    notice: "Your authenticator app shows a code of six digits.",
    action: "/mfa",
    fields: [codeField],
    hidden: { session },
    submit: "Sign in",
  });
}
