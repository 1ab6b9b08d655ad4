// A page in the console's place, at the address to which mails and sign-ins lead: what a console does there, and what does it without one.
import { createServer, type RequestListener, type Server } from "node:http";
import { html, raw } from "hono/html";
import type { Stack } from "../running-stack.ts";
import { appClient } from "./app-client.ts";

/** What a console shows at each path to which mails and sign-ins lead, and what does the same without one. */
const places: Record<string, [title: string, without: string]> = {
  "/": ["Sign in", "archway login"],
  "/callback": ["Signed in", "The platform knows you now: an invitation to your address is accepted. archway login"],
  "/workspaces": ["Choose your workspace", "archway workspaces, archway use SLUG"],
  "/onboarding": ["Open a workspace", "POST /v1/tenants"],
  "/settings": ["Settings of the workspace", "GET and PATCH /v1/tenants/{id}"],
  "/billing": ["Billing", "GET /v1/billing, POST /v1/billing/setup"],
  "/keys": ["API keys", "GET and POST /v1/keys"],
  "/usage": ["Usage", "archway usage, GET /v1/usage"],
};

/**
 * Listens at the origin of the console's first callback on this machine.
 * @returns undefined where another program listens there, a console that is being developed, say
 */
export async function serveConsolePage(stack: Stack, origin: string): Promise<Server | undefined> {
  const server = createServer(consolePage(stack.at("api"), signInPage(stack)));
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server
    .once("error", () => resolve(false))
    .listen(Number(new URL(origin).port || 80), "127.0.0.1", () => resolve(true));
  return (await promise) ? server : undefined;
}

/** The origin to which mails lead and at which a sign-in ends. */
export function consoleOrigin({ program }: Pick<Stack, "program">): string {
  return new URL(appClient(program, "console").redirect_uri).origin;
}

/** The console's sign-in page: the sign-in host shows a page only to people who come from an app. */
export function signInPage(stack: Stack): string {
  const { client_id, redirect_uri } = appClient(stack.program, "console");
  return `${stack.at("auth")}/login?${new URLSearchParams({ response_type: "code", client_id, redirect_uri })}`;
}

export function consolePage(apiUrl: string, signIn: string): RequestListener {
  return ({ url = "/" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://console");
    const [title, without] = places[pathname] ?? ["No page of a console", "It has none at this address."];
    const refused = searchParams.get("error_description");
    response.writeHead(places[pathname] ? 200 : 404, headers);
    response.end(String(document(refused ? "Not signed in" : title, refused, { without, apiUrl, signIn })));
  };
}

/** The address may hold a code, which is nobody else's. */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const style = raw(
  ":root { color-scheme: light dark; } body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 8vh auto; padding: 0 1rem; }",
);

type Shown = { without: string; apiUrl: string; signIn: string };

function document(title: string, refused: string | null, { without, apiUrl, signIn }: Shown) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${refused === null ? "" : html`<p role="alert">${refused}</p>`}
<p>A console stands here, a program of its own (docs/sign-in.md, "What a console must do"). Without one: ${without}</p>
<p><a href="${signIn}">Sign in on the hosted page</a>. The API is at ${apiUrl}; <code>archway login --url ${apiUrl}</code></p>
</main>
</body>
</html>
`;
}
