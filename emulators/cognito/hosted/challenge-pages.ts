// `/newPassword` and `/mfa`: the pages of a sign-in after the password. The form carries the secret of the open question.
import { answerNewPassword, answerSoftwareToken, challenge, nextChallenge } from "../people/sign-in.ts";
import type { ChallengeName } from "../people/sign-in-state.ts";
import type { User } from "../people/users.ts";
import { finishSignIn } from "./authorize.ts";
import { codeField, type FormPage, newPasswordField, show, type Visit } from "./form-page.ts";

/** Asks for another password after a temporary one. */
export const newPasswordPage: FormPage = {
  path: "/newPassword",
  form: ({ pool, sent }) => ({
    title: "Change your password",
    notice: "Your password is temporary. Choose a new one.",
    fields: [newPasswordField(pool, "New password")],
    hidden: { session: sent("session") },
    submit: "Change password",
  }),
  async act(visit) {
    const { pool, request, sent } = visit;
    return proceed(visit, await answerNewPassword(pool, request.client, sent("session"), sent("password")));
  },
};

/** Asks someone who has turned the second factor on for its code. */
export const softwareTokenPage: FormPage = {
  path: "/mfa",
  form: ({ sent }) => ({
    title: "Enter the code of your app",
    notice: "Your authenticator app shows a code of six digits.",
    fields: [codeField],
    hidden: { session: sent("session") },
    submit: "Sign in",
  }),
  async act({ context, pool, request, sent }) {
    const { username } = answerSoftwareToken(pool, request.client, sent("session"), sent("code"));
    return finishSignIn(context, request, { username, provider: "COGNITO" });
  },
};

const pages: Record<ChallengeName, FormPage> = {
  NEW_PASSWORD_REQUIRED: newPasswordPage,
  SOFTWARE_TOKEN_MFA: softwareTokenPage,
};

/** Continues the sign-in of someone who has proved the password: with the next question, or back at the client. */
export async function proceed(visit: Visit, user: User): Promise<Response> {
  const { context, pool, request } = visit;
  const name = nextChallenge(pool, user);
  if (!name) return finishSignIn(context, request, { username: user.username, provider: "COGNITO" });
  const session = challenge(pool, request.client, user, name);
  return show(pages[name], { ...visit, sent: (field) => (field === "session" ? session : "") });
}
