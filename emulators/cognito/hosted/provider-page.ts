// `/simulated-provider` and `/oauth2/idpresponse`: an external provider's sign-in, simulated by a page that accepts anyone.
import { HTTPException } from "hono/http-exception";
import * as z from "zod";
import type { ExternalProvider } from "../external-providers.ts";
import { signInExternally } from "../people/federation.ts";
import { finishSignIn } from "./authorize.ts";
import { redirectFailure } from "./authorize-request.ts";
import { type FormPage, show, type Visit } from "./form-page.ts";

const address = z.email();

export const providerPage: FormPage = {
  /** Cognito's path for a provider's answer. */
  path: "/oauth2/idpresponse",
  form(visit) {
    const { name } = providerOf(visit);
    return {
      title: `Sign in with ${name}`,
      notice: `This page plays ${name}. It lets you be anyone.`,
      fields: [
        { name: "email", label: "Email", type: "email", autocomplete: "username", value: visit.request.loginHint },
        { name: "email_verified", label: `${name} has verified this address`, type: "checkbox", value: "true" },
      ],
      submit: "Continue",
    };
  },
  async act(visit) {
    const { context, pool, request, sent } = visit;
    const provider = providerOf(visit);
    const email = address.safeParse(sent("email"));
    if (!email.success) {
      return show(providerPage, visit, { problem: "This is not an email address.", wrong: "email" }, 400);
    }
    // The page does not ask for the id. A test sends it to be somebody whose address has changed at the provider.
    const subject = sent("subject") || undefined;
    const assertion = { email: email.data, emailVerified: sent("email_verified") === "true", subject };
    try {
      const { username } = await signInExternally(pool, provider, assertion, request.client.id);
      return await finishSignIn(context, request, { username, provider: provider.name });
    } catch (error) {
      return redirectFailure(context, request, error);
    }
  },
};

function providerOf({ pool, request }: Visit): ExternalProvider {
  const found = pool.providers.get(request.provider ?? "");
  if (!found) throw new HTTPException(400, { message: "identity_provider is missing." });
  return found;
}
