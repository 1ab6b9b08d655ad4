// The paths of the sign-in host and of the pool's public documents, as one Hono app.
import { type Context, Hono, type Next } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { methodNotAllowed } from "hono/method-not-allowed";
import type { Pool } from "../pool.ts";
import { authorize, logout } from "./authorize.ts";
import { newPasswordPage, softwareTokenPage } from "./challenge-pages.ts";
import type { Answer, PoolContext, PoolEnv } from "./context.ts";
import { jwks, openidConfiguration } from "./discovery.ts";
import { show, submit, visitOf } from "./form-page.ts";
import { loginPage } from "./login-page.ts";
import { showError } from "./pages.ts";
import { providerPage } from "./provider-page.ts";
import { revoke } from "./revoke-endpoint.ts";
import { confirmForgotPasswordPage, confirmUserPage, forgotPasswordPage, signUpPage } from "./sign-up-pages.ts";
import { token } from "./token-endpoint.ts";
import { userInfo } from "./user-info-endpoint.ts";

const maxBodyBytes = 64 * 1024;
const formType = "application/x-www-form-urlencoded";

/** The pages that have an address of their own. The others are an answer to a form. */
const firstPages = [loginPage, signUpPage, confirmUserPage, forgotPasswordPage, confirmForgotPasswordPage];

export function createApp(pool: Pool): Hono<PoolEnv> {
  const app = new Hono<PoolEnv>();
  const documents = `/${pool.id}/.well-known`;

  app.onError(answerError);
  app.notFound((context) => context.text("There is no such page.\n", 404));
  app.use(noStore);
  // Pages of other origins may call the endpoints for tokens, and no other path of the host ("CORS policies" of docs.aws.amazon.com/cognito/
  // latest/developerguide/cognito-user-pools-managed-login.html).
  const anyOrigin = cors({ allowMethods: ["GET", "POST"], allowHeaders: ["authorization", "content-type"] });
  for (const name of ["token", "revoke", "userInfo", "userinfo"]) app.use(`/oauth2/${name}`, anyOrigin);
  // AWS's own example reads the documents from a browser: its react-oidc-context is told the issuer alone (docs.aws.amazon.com/cognito/
  // latest/developerguide/getting-started-user-pools-application.html).
  app.use(`${documents}/*`, anyOrigin);
  app.use(methodNotAllowed({ app, onMethodNotAllowed }));
  app.use(bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge }));
  app.use(readForm);
  app.use((context, next) => {
    context.set("pool", pool);
    return next();
  });

  app.get("/oauth2/authorize", authorize);
  app.post("/oauth2/token", token);
  app.post("/oauth2/revoke", revoke);
  app.on(["GET", "POST"], ["/oauth2/userInfo", "/oauth2/userinfo"], userInfo);
  app.get("/simulated-provider", (context) => show(providerPage, visitOf(context)));
  for (const page of firstPages) app.get(page.path, (context) => show(page, visitOf(context)));
  for (const page of [...firstPages, newPasswordPage, softwareTokenPage, providerPage]) {
    app.post(page.path, (context) => submit(page, visitOf(context)));
  }
  app.get("/logout", logout);
  app.get(`${documents}/jwks.json`, jwks);
  app.get(`${documents}/openid-configuration`, openidConfiguration);
  return app;
}

/** An exception that carries no response of its own becomes an error page. */
function answerError(error: Error, context: PoolContext): Answer {
  if (error instanceof HTTPException) {
    return error.res ? error.getResponse() : showError(context, error.status, error.message);
  }
  if (context.req.raw.signal.aborted) return context.text("The request was aborted.\n", 408);
  console.error("local Cognito:", error);
  return context.text("The local Cognito failed. Its log says why.\n", 500);
}

/** Nothing is cached unless its handler says so. */
async function noStore(context: PoolContext, next: Next): Promise<void> {
  await next();
  if (!context.res.headers.has("cache-control")) context.header("cache-control", "no-store");
}

function onMethodNotAllowed(context: Context, methods: string[]): Response {
  const allow = methods.filter((method) => method !== "HEAD").join(", ");
  return context.text(`Use ${allow}.\n`, 405, { allow });
}

function tooLarge(context: Context): Response {
  return context.text(`The body is larger than ${maxBodyBytes} bytes.\n`, 413);
}

async function readForm(context: PoolContext, next: Next): Promise<Response | undefined> {
  const body = context.req.method === "POST" ? await context.req.text() : "";
  const type = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (body && type !== formType) return context.text(`The content type must be ${formType}.\n`, 415);
  context.set("form", new URLSearchParams(body));
  await next();
  return undefined;
}
