// `/simulated-provider` and `/oauth2/idpresponse`: an external provider's sign-in, played by a page that takes anyone.
import * as z from "zod";
import { finishSignIn } from "./authorize.ts";
import { type AuthorizeRequest, readAuthorizeRequest, redirectFailure } from "./authorize-request.ts";
import type { ExternalProvider } from "./external-providers.ts";
import { signInExternally } from "./federation.ts";
import { formPage, type Show, submitForm } from "./form-page.ts";
import { type Answer, EarlyAnswer, type Exchange } from "./http.ts";
import { showError } from "./pages.ts";
import type { Pool } from "./pool.ts";

const address = z.email();

/** `GET /simulated-provider` */
export function showProvider(pool: Pool, exchange: Exchange): Answer {
  const request = readAuthorizeRequest(pool, exchange.query);
  return providerPage(exchange, request, providerOf(pool, request))(200);
}

/** `POST /oauth2/idpresponse`: where Cognito takes what a provider says. */
export function takeProviderResponse(pool: Pool, exchange: Exchange): Promise<Answer> {
  const request = readAuthorizeRequest(pool, exchange.query);
  const provider = providerOf(pool, request);
  const show = providerPage(exchange, request, provider);
  return submitForm(exchange, show, async () => {
    const email = address.safeParse(exchange.form.get("email"));
    if (!email.success) return show(400, "This is not an email address.");
    const assertion = { email: email.data, emailVerified: exchange.form.get("email_verified") === "true" };
    try {
      const { username } = await signInExternally(pool, provider, assertion, request.client.id);
      return await finishSignIn(pool, exchange, request, { username, provider: provider.name });
    } catch (error) {
      return redirectFailure(request, error);
    }
  });
}

function providerOf(pool: Pool, { provider }: AuthorizeRequest): ExternalProvider {
  const found = pool.providers.get(provider ?? "");
  if (!found) throw new EarlyAnswer(showError(400, "identity_provider is missing."));
  return found;
}

function providerPage(exchange: Exchange, request: AuthorizeRequest, { name }: ExternalProvider): Show {
  return formPage(exchange, request, {
    title: `Sign in with ${name}`,
    notice: `This page plays ${name}. It lets you be anyone.`,
    action: "/oauth2/idpresponse",
    fields: [
      { name: "email", label: "Email", type: "email", autocomplete: "username", value: request.loginHint },
      { name: "email_verified", label: `${name} has verified this address`, type: "checkbox" },
    ],
    submit: "Continue",
  });
}
