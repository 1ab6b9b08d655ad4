// `/signup`, `/confirmUser`, `/forgotPassword` and `/confirmForgotPassword`: the pages around a mailed code.
import { confirmForgotPassword, confirmSignUp, forgotPassword, resendCode, signUp } from "../people/sign-up.ts";
import { codeField, emailField, type FormPage, newPasswordField, show, type Visit } from "./form-page.ts";

export const signUpPage: FormPage = {
  path: "/signup",
  form: (visit) => ({
    title: "Sign up",
    fields: [emailField(visit.sent("username")), newPasswordField(visit.pool, "Password")],
    submit: "Sign up",
    links: [signInInstead(visit)],
  }),
  async act({ context, pool, request, sent, link }) {
    const username = sent("username");
    const { status } = await signUp(pool, request.client, { username, password: sent("password") });
    const login = link("/login", { notice: "confirmed", login_hint: username });
    return context.redirect(status === "CONFIRMED" ? login : link("/confirmUser", { username }));
  },
};

export const confirmUserPage: FormPage = {
  path: "/confirmUser",
  form: (visit) => ({
    title: "Confirm your account",
    notice: `We have sent a code by email to ${visit.username}.`,
    fields: [codeField],
    hidden: { username: visit.username },
    submit: "Confirm account",
    again: "Send another code",
    links: [signInInstead(visit)],
  }),
  async act(visit) {
    const { context, pool, request, username, sent, link } = visit;
    if (sent("again")) {
      await resendCode(pool, request.client, username);
      return show(confirmUserPage, visit, { notice: `We have sent another code by email to ${username}.` });
    }
    await confirmSignUp(pool, request.client, username, sent("code"));
    return context.redirect(link("/login", { notice: "confirmed", login_hint: username }));
  },
};

/** The next page is the same for a stranger. */
export const forgotPasswordPage: FormPage = {
  path: "/forgotPassword",
  form: (visit) => ({
    title: "Forgot your password?",
    fields: [emailField(visit.sent("username"))],
    submit: "Send me a code",
    links: [signInInstead(visit)],
  }),
  async act({ context, pool, request, username, link }) {
    await forgotPassword(pool, request.client, username);
    return context.redirect(link("/confirmForgotPassword", { username }));
  },
};

export const confirmForgotPasswordPage: FormPage = {
  path: "/confirmForgotPassword",
  form: ({ pool, username }) => ({
    title: "Choose a new password",
    notice: `If ${username} has an account, we have sent a code to it by email.`,
    fields: [codeField, newPasswordField(pool, "New password")],
    hidden: { username },
    submit: "Change password",
  }),
  async act({ context, pool, request, username, sent, link }) {
    await confirmForgotPassword(pool, request.client, username, sent("code"), sent("password"));
    return context.redirect(link("/login", { notice: "password-changed", login_hint: username }));
  },
};

function signInInstead({ link }: Visit) {
  return { href: link("/login"), text: "Sign in instead" };
}
