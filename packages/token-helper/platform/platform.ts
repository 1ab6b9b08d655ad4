// Calls of the platform with a person's token: who they are, what is left to them, and one message.
import * as z from "zod/mini";
import { isToken } from "../access-cache.ts";
import { Failure } from "../failure.ts";
import type { Description } from "../profile.ts";
import { jsonOf, request } from "./http.ts";

const budgetSchema = z.object({
  month: z.string(),
  spent_usd: z.number(),
  reserved_usd: z.optional(z.number()),
  /** Missing for an owner without a limit; null from a platform of before. */
  limit_usd: z.optional(z.nullable(z.number())),
  left_usd: z.optional(z.nullable(z.number())),
  resets_at: z.string(),
  models: z.array(z.string()),
  regions: z.array(z.string()),
  default_region: z.string(),
  workspace_capped: z.optional(z.boolean()),
});

const meSchema = z.object({
  email: z.optional(z.string()),
  tenant_id: z.optional(z.string()),
  tenant_role: z.optional(z.string()),
  /** The workspace that the next token names; missing where the platform is older, or the person is in none. */
  next_tenant_id: z.optional(z.string()),
  memberships: z.array(
    z.object({
      tenant_id: z.string(),
      tenant_role: z.optional(z.string()),
      status: z.optional(z.string()),
      tenant_name: z.optional(z.string()),
      tenant_slug: z.optional(z.string()),
      tenant_status: z.optional(z.string()),
    }),
  ),
  budget: z.optional(z.nullable(budgetSchema)),
});

const modelSchema = z.object({
  id: z.string(),
  display_name: z.optional(z.string()),
  max_input_tokens: z.optional(z.nullable(z.number())),
  max_tokens: z.optional(z.nullable(z.number())),
});

export type Model = z.output<typeof modelSchema>;
export type Me = z.output<typeof meSchema>;
export type Budget = z.output<typeof budgetSchema>;
/** A workspace that one may call models in. */
export type Workspace = { slug: string; name: string; role: string; budget: Budget };

type ModelCall = { slug: string; model: string; region?: string | undefined };

export class Platform {
  readonly #description: Description;
  readonly #token: string;

  constructor(description: Description, token: string) {
    this.#description = description;
    this.#token = token;
  }

  /** @throws Failure. */
  async me(): Promise<Me> {
    const problem = "the platform describes you in a form that this version does not know: update archway";
    return understood(meSchema, await this.#ask(`${this.#description.discovery.api_url}/v1/me`), problem);
  }

  /** Makes the workspace the one of the next token. False if the caller is not in it, or it is deleted. @throws Failure. */
  async activate(tenantId: string): Promise<boolean> {
    const url = `${this.#description.discovery.api_url}/v1/tenants/${encodeURIComponent(tenantId)}/activate`;
    const { status, answer } = await this.#send(url, {});
    if (status === 403 || status === 404) return false;
    if (status !== 200) throw refusal(url, status, answer);
    return true;
  }

  /** A new API key of the caller's own. @throws Failure. */
  async createKey(name: string): Promise<{ key: string; key_id: string }> {
    const answer = await this.#ask(`${this.#description.discovery.api_url}/v1/keys`, { name });
    const schema = z.object({ key: z.string(), key_id: z.string() });
    return understood(schema, answer, "the platform created a key and does not show it");
  }

  /** Ends all sign-ins of the caller. @throws Failure. */
  async signOutEverywhere(): Promise<void> {
    await this.#ask(`${this.#description.discovery.api_url}/v1/me/sign-out-everywhere`, {});
  }

  /** Ends in the vendor's segment. */
  proxyUrl(slug: string): string {
    return this.#description.discovery.proxy_url.replace("{slug}", encodeURIComponent(slug));
  }

  /** The console's address, or the words `the console` for a platform that does not tell it. */
  get consoleUrl(): string {
    const [first] = this.#description.discovery.clients.console?.redirect_uris ?? [];
    return first ? `the console, ${new URL(first).origin}` : "the console";
  }

  get regionHeader(): string {
    return this.#description.discovery.region_header;
  }

  /** The models that may be called in the region. @throws Failure. */
  async models(slug: string, region: string): Promise<Model[]> {
    const headers = { [this.regionHeader]: region };
    const answer = await this.#ask(`${this.proxyUrl(slug)}/v1/models?limit=1000`, undefined, headers);
    return understood(z.object({ data: z.array(modelSchema) }), answer, "the proxy's list of models is none").data;
  }

  /** Whether the proxy takes an API key that was found in the environment. @throws Failure if it does not say. */
  async takesKey(slug: string, key: string): Promise<boolean> {
    if (!isToken(key)) return false;
    const { status } = await request(`${this.proxyUrl(slug)}/v1/models`, { headers: { "x-api-key": key } });
    if (status < 500) return status === 200;
    throw new Failure("unreachable", `the proxy answers ${status}: try again`);
  }

  /** Sends a short message, as a client does. @throws Failure with what the proxy says. */
  async callModel({ slug, model, region }: ModelCall): Promise<void> {
    const messages = [{ role: "user", content: "Say hello in one word." }];
    const headers = { "anthropic-version": "2023-06-01", ...(region && { [this.regionHeader]: region }) };
    await this.#ask(`${this.proxyUrl(slug)}/v1/messages`, { model, max_tokens: 16, messages }, headers);
  }

  /** @throws Failure for every answer but success. */
  async #ask(url: string, body?: object, headers?: Record<string, string>): Promise<unknown> {
    const { status, answer } = await this.#send(url, body, headers);
    if (status >= 200 && status < 300) return answer;
    throw refusal(url, status, answer);
  }

  async #send(url: string, body?: object, headers: Record<string, string> = {}) {
    const authorization = `Bearer ${this.#token}`;
    const json = body && { "content-type": "application/json" };
    const sent = body && { method: "POST", body: JSON.stringify(body) };
    const response = await request(url, { headers: { authorization, ...json, ...headers }, ...sent }, 60_000);
    const answer = response.status === 204 ? undefined : await jsonOf(response, url);
    return { status: response.status, answer };
  }
}

function refusal(url: string, status: number, answer: unknown): Failure {
  const parsed = z.object({ error: z.object({ message: z.string() }) }).safeParse(answer);
  const says = parsed.success ? parsed.data.error.message : "and does not say why";
  const cure = status === 401 && !says.includes("archway login") ? ". Sign in again: archway login" : "";
  const kind = status === 401 ? "signInNeeded" : status >= 500 ? "unreachable" : "failed";
  return new Failure(
    kind,
    `${new URL(url).pathname.replace(/^\/@[^/]+/, "")} is refused with ${status}: ${says}${cure}`,
  );
}

/** @throws Failure unreachable with the problem, for an answer of another form. */
function understood<T extends z.ZodMiniType>(schema: T, answer: unknown, problem: string): z.output<T> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new Failure("unreachable", problem);
}

function whoMends(role: string, consoleUrl: string): string {
  return role === "owner"
    ? `${consoleUrl}, tells you why and what to do`
    : `its owner finds the reason in ${consoleUrl}`;
}

/** The workspace of the token. @throws Failure that says whom to ask. */
export function workspaceOf({ tenant_id, tenant_role = "", memberships, budget }: Me, consoleUrl: string): Workspace {
  const membership = memberships.find((each) => each.tenant_id === tenant_id);
  if (!membership?.tenant_slug)
    throw new Failure("failed", `you are in no workspace: create one in ${consoleUrl}, or ask for an invitation`);
  const { tenant_slug: slug, tenant_name: name = slug, tenant_status } = membership;
  if (tenant_status && tenant_status !== "active")
    throw new Failure("failed", `the workspace ${name} is ${tenant_status}: ${whoMends(tenant_role, consoleUrl)}`);
  if (!budget) throw new Failure("failed", `you have no grant in the workspace ${name}: ask its owner for one`);
  return { slug, name, role: tenant_role, budget };
}
