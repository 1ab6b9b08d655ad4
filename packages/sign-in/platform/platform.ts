// Calls of the platform with a person's token: who they are, and which workspace is theirs.
import * as z from "zod/mini";
import { Failure } from "../../command-line/failure.ts";
import type { Program } from "../../command-line/home.ts";
import type { Description } from "../profile.ts";
import { jsonOf, request } from "./http.ts";

const budgetSchema = z.object({
  month: z.string(),
  spent_usd: z.number(),
  reserved_usd: z.number(),
  /** Missing for an owner without a limit. */
  limit_usd: z.optional(z.number()),
  left_usd: z.optional(z.number()),
  resets_at: z.string(),
  models: z.array(z.string()),
  regions: z.array(z.string()),
  default_region: z.string(),
  workspace_capped: z.boolean(),
});

const freeCreditSchema = z.object({ granted_tokens: z.number(), left_tokens: z.number() });

const meSchema = z.object({
  user_id: z.string(),
  email: z.optional(z.string()),
  tenant_id: z.optional(z.string()),
  tenant_role: z.optional(z.string()),
  /** The workspace that the next token names; missing where the person is in none. */
  next_tenant_id: z.optional(z.string()),
  memberships: z.array(
    z.object({
      tenant_id: z.string(),
      tenant_role: z.optional(z.string()),
      /** Missing for an invitation that was not accepted yet. */
      status: z.optional(z.string()),
      invited_by: z.optional(z.string()),
      tenant_name: z.optional(z.string()),
      tenant_slug: z.optional(z.string()),
      tenant_status: z.optional(z.string()),
    }),
  ),
  /** Missing if the person has no other account. */
  other_accounts: z.optional(z.array(z.object({ provider: z.string() }))),
  budget: z.optional(budgetSchema),
  /** What the workspace may use without a payment method; missing where nobody pays. */
  free_credit: z.optional(freeCreditSchema),
  has_payment_method: z.optional(z.boolean()),
});

export type FreeCredit = z.output<typeof freeCreditSchema>;
export type Me = z.output<typeof meSchema>;

/** The free credit of a workspace that has nothing else to pay with; undefined for any other. */
export function onlyCredit({ free_credit, has_payment_method }: Me): FreeCredit | undefined {
  return has_payment_method === false ? free_credit : undefined;
}

export type Budget = z.output<typeof budgetSchema>;
export class Platform {
  readonly #description: Description;
  readonly #token: string;
  readonly #program: string;

  /** @param program the command that signs in, for advice */
  constructor(description: Description, token: string, { name }: Program) {
    this.#description = description;
    this.#token = token;
    this.#program = name;
  }

  /** @throws Failure. */
  async me(): Promise<Me> {
    const problem = "the platform describes you in a form that this version does not know: update archway";
    return understood(meSchema, await this.ask(this.api("/me")), problem);
  }

  /** Makes the workspace the one of the next token. False if the caller is not in it, or it is deleted. @throws Failure. */
  async activate(tenantId: string): Promise<boolean> {
    const url = this.api(`/tenants/${encodeURIComponent(tenantId)}/activate`);
    const { status, answer } = await this.#send(url, {});
    if (status === 403 || status === 404) return false;
    if (status !== 200) throw refusal(this.#program, url, status, answer);
    return true;
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

  /** The address of a path below `/v1`. */
  api(path: string): string {
    return `${this.#description.discovery.api_url}/v1${path}`;
  }

  /**
   * Sends the body, or reads where there is none, and gives what the answer holds.
   * @throws Failure for every answer but success.
   */
  async ask(url: string, body?: object, headers?: Record<string, string>): Promise<unknown> {
    return (await this.askedAs(url, body, headers)).answer;
  }

  /** Like `ask`, with the id under which the platform knows the request. @throws Failure */
  async askedAs(url: string, body?: object, headers?: Record<string, string>) {
    const { status, answer, requestId } = await this.#send(url, body, headers);
    if (status >= 200 && status < 300) return { answer, requestId };
    throw refusal(this.#program, url, status, answer);
  }

  async #send(url: string, body?: object, headers: Record<string, string> = {}) {
    const authorization = `Bearer ${this.#token}`;
    const json = body && { "content-type": "application/json" };
    const sent = body && { method: "POST", body: JSON.stringify(body) };
    const response = await request(url, { headers: { authorization, ...json, ...headers }, ...sent }, 60_000);
    const answer = response.status === 204 ? undefined : await jsonOf(response, url);
    return { status: response.status, answer, requestId: response.headers.get("request-id") ?? undefined };
  }
}

function refusal(program: string, url: string, status: number, answer: unknown): Failure {
  const parsed = z.object({ error: z.object({ message: z.string() }) }).safeParse(answer);
  const says = parsed.success ? parsed.data.error.message : "and does not say why";
  const cure = status === 401 && !/archway(-skills)? login/.test(says) ? `. Sign in again: ${program} login` : "";
  const kind = status === 401 ? "signInNeeded" : status >= 500 ? "unreachable" : "failed";
  return new Failure(
    kind,
    `${new URL(url).pathname.replace(/^\/@[^/]+/, "")} is refused with ${status}: ${says}${cure}`,
  );
}

/** @throws Failure unreachable with the problem, for an answer of another form. */
export function understood<T extends z.ZodMiniType>(schema: T, answer: unknown, problem: string): z.output<T> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new Failure("unreachable", problem);
}
