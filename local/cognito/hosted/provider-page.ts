// `/simulated-provider` and `/oauth2/idpresponse`: an external provider's sign-in, simulated by a page that accepts anyone.
import { HTTPException } from "hono/http-exception";
import * as z from "zod";
import type { ExternalProvider } from "../external-providers.ts";
import { signInExternally } from "../people/federation.ts";
import { finishSignIn } from "./authorize.ts";
import { type AuthorizeRequest, readAuthorizeRequest, redirectFailure } from "./authorize-request.ts";
import type { Answer, PoolContext } from "./context.ts";
import { formPage, type Show, submitForm } from "./form-page.ts";

const address = z.email();

/** `GET /simulated-provider` */
export function showProvider(context: PoolContext): Answer {
  const request = readAuthorizeRequest(context);
  return providerPage(context, request, providerOf(context, request))(200);
}

/** `POST /oauth2/idpresponse`: Cognito's path for a provider's answer. */
export function takeProviderResponse(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const provider = providerOf(context, request);
  const { pool, form } = context.var;
  const show = providerPage(context, request, provider);
  return submitForm(context, show, async () => {
    const email = address.safeParse(form.get("email"));
    if (!email.success) return show(400, "This is not an email address.", "email");
    const assertion = { email: email.data, emailVerified: form.get("email_verified") === "true" };
    try {
      const { username } = await signInExternally(pool, provider, assertion, request.client.id);
      return await finishSignIn(context, request, { username, provider: provider.name });
    } catch (error) {
      return redirectFailure(context, request, error);
    }
  });
}

function providerOf(context: PoolContext, { provider }: AuthorizeRequest): ExternalProvider {
  const found = context.var.pool.providers.get(provider ?? "");
  if (!found) throw new HTTPException(400, { message: "identity_provider is missing." });
  return found;
}

function providerPage(context: PoolContext, request: AuthorizeRequest, { name }: ExternalProvider): Show {
  return formPage(context, request, {
    title: `Sign in with ${name}`,
    notice: `This page plays ${name}. It lets you be anyone.`,
    action: "/oauth2/idpresponse",
    fields: [
      { name: "email", label: "Email", type: "email", autocomplete: "username", value: request.loginHint },
      { name: "email_verified", label: `${name} has verified this address`, type: "checkbox", value: "true" },
    ],
    submit: "Continue",
  });
}
