// The discovery document, which tells clients everything about the platform but its URL.
import * as z from "zod/mini";
import { Failure } from "../../command-line/failure.ts";
import { jsonOf, loopback, request, safeUrl, secondsBehind } from "./http.ts";

const url = z.pipe(z.string(), z.transform(checkedUrl));

const appClient = z.object({
  client_id: z.string().check(z.minLength(1)),
  redirect_uris: z.array(z.string()).check(z.minLength(1)),
  scopes: z.array(z.string()).check(z.minLength(1)),
});

export const discoverySchema = z.object({
  issuer: z.string(),
  api_url: url,
  auth_url: url,
  /** With `{slug}` in it. */
  proxy_url: z.string().check(z.includes("{slug}"), z.refine(isSafe)),
  region_header: z.string().check(z.regex(/^[A-Za-z0-9-]{1,64}$/)),
  clients: z.object({
    console: z.optional(z.object({ redirect_uris: z.array(url) })),
    token_helper: appClient,
    token_helper_write: appClient,
    skills: appClient,
  }),
});

export type Discovery = z.output<typeof discoverySchema>;

/** An app client, and where it signs people in. */
export type App = Pick<Discovery, "issuer" | "auth_url"> & { client: z.output<typeof appClient> };

export function appOf(
  { issuer, auth_url, clients }: Discovery,
  name: "token_helper" | "token_helper_write" | "skills",
): App {
  return { issuer, auth_url, client: clients[name] };
}

/** With any slug in it. */
function isSafe(pattern: string): boolean {
  try {
    return safeUrl(pattern.replace("{slug}", "slug")) !== "";
  } catch {
    return false;
  }
}

function checkedUrl(text: string, context: { issues: unknown[] }): string {
  try {
    return safeUrl(text);
  } catch {
    context.issues.push({ code: "custom", message: "is no safe address", input: text });
    return text;
  }
}

/** @throws Failure unreachable if no Archway platform answers at the URL. */
export async function discover(platformUrl: string, now: number): Promise<{ discovery: Discovery; behind: number }> {
  const address = `${platformUrl}/.well-known/archway.json`;
  const response = await request(address);
  if (!response.ok) throw noPlatform(platformUrl, `it answers ${response.status}`);
  const parsed = discoverySchema.safeParse(await jsonOf(response, address));
  if (!parsed.success)
    throw noPlatform(platformUrl, `wrong: ${parsed.error.issues.map(({ path }) => path.join(".")).join(", ")}`);
  requireOwnHosts(platformUrl, parsed.data);
  return { discovery: parsed.data, behind: secondsBehind(response, now) ?? 0 };
}

/**
 * A person is told one address, and their token goes to no other platform's: API, sign-in and proxies are `api.`, `auth.` and
 * `<slug>.proxy.` of one domain.
 * @throws Failure unreachable that names the foreign host.
 */
export function requireOwnHosts(platformUrl: string, { api_url, auth_url, proxy_url }: Discovery): void {
  const { hostname } = new URL(platformUrl);
  const domain = hostname.replace(/^api\.(?=.+\.)/, "");
  const hosts = [api_url, auth_url, proxy_url.replace("{slug}", "slug")].map((each) => new URL(each).hostname);
  const isOwn = (host: string) => host === domain || host.endsWith(`.${domain}`);
  const stranger = hosts.find((host) => !isOwn(host) && !(loopback.test(hostname) && loopback.test(host)));
  if (stranger === undefined) return;
  throw new Failure(
    "unreachable",
    `${platformUrl} names ${stranger}, which is not of ${domain}: no token is sent there`,
  );
}

function noPlatform(platformUrl: string, why: string): Failure {
  return new Failure(
    "unreachable",
    `${platformUrl} is no Archway platform, or not now (${why}). Try its API's address, https://api.<domain>`,
  );
}
