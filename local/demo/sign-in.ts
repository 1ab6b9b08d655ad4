// Signs a person in as a browser would: the code flow with PKCE through the hosted pages. For the demo's start and for tests.
import { createHash, randomBytes } from "node:crypto";

export type SignIn = {
  /** The address of the sign-in host, e.g. `http://127.0.0.1:8787/@auth`. */
  authUrl: string;
  clientId: string;
  redirectUri: string;
  email: string;
  password: string;
  /** The password that replaces a temporary one. */
  newPassword?: string;
  scopes?: string[];
};

export type Tokens = { access_token: string; id_token: string; refresh_token: string; expires_in: number };

/** @throws Error if the person cannot sign in. */
export async function signIn({
  authUrl,
  clientId,
  redirectUri,
  email,
  password,
  newPassword,
  scopes = [],
}: SignIn): Promise<Tokens> {
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state: randomBytes(8).toString("hex"),
    code_challenge_method: "S256",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    scope: ["openid", "email", ...scopes].join(" "),
  });
  const browser = new Browser();
  const page = await browser.open(`${authUrl}/oauth2/authorize?${query}`, redirectUri);
  const answer = codeOf(page) ? page : await browser.submit(page, { username: email, password }, redirectUri);
  const isTemporary = newPassword !== undefined && answer.html.includes("/newPassword");
  const code = codeOf(isTemporary ? await browser.submit(answer, { password: newPassword }, redirectUri) : answer);
  if (!code) throw new Error(`${email} could not sign in`);
  return exchange(authUrl, { clientId, redirectUri, verifier, code });
}

type Exchange = { clientId: string; redirectUri: string; verifier: string; code: string };

async function exchange(authUrl: string, { clientId, redirectUri, verifier, code }: Exchange): Promise<Tokens> {
  const response = await fetch(`${authUrl}/oauth2/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      code,
    }),
  });
  if (!response.ok) throw new Error(`The token endpoint answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Tokens;
}

type Page = { url: string; html: string };

function codeOf({ url }: Page): string | undefined {
  return new URL(url).searchParams.get("code") ?? undefined;
}

/** Follows redirects and keeps cookies, up to the address that belongs to the app. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  async open(url: string, until: string, init: RequestInit = {}): Promise<Page> {
    if (url.startsWith(until)) return { url, html: "" };
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "), ...init.headers },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined && value !== undefined) this.#cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location) return this.open(new URL(location, url).href, until);
    return { url, html: await response.text() };
  }

  /** Sends the page's first form with its hidden fields. */
  async submit(page: Page, fields: Record<string, string>, until: string): Promise<Page> {
    const [, form = "", body = ""] = /<form([^>]*)>([\s\S]*?)<\/form>/i.exec(page.html) ?? [];
    const action = unescaped(/action="([^"]*)"/i.exec(form)?.[1] ?? "");
    const hidden = [...body.matchAll(/<input[^>]*type="hidden"[^>]*>/gi)].map(([input]) => [
      /name="([^"]*)"/i.exec(input)?.[1] ?? "",
      unescaped(/value="([^"]*)"/i.exec(input)?.[1] ?? ""),
    ]);
    return this.open(new URL(action, page.url).href, until, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }),
    });
  }
}

function unescaped(html: string): string {
  return html
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
