// What a play has: the running stack, people with a browser each, and the mails and calls beside the console. Each play has people and
// a workspace of its own, so that it can be played alone.
import type { Browser } from "playwright-core";
import { consoleToken } from "../../local/demo/app-client.ts";
import { acceptInvitation, openWorkspace, signUp } from "../../local/demo/workspace.ts";
import type { Person, Stack } from "../../local/running-stack.ts";
import { signIn, type VisitOptions, type Visitor, visit } from "./visitor.ts";

/** Somebody of a workspace, signed in to the console. */
export type Member = Visitor & { person: Person; tenantId: string; slug: string };

type Credentials = { email: string; password: string };

export class Stage {
  readonly stack: Stack;
  readonly #browser: Browser;
  readonly #play: string;
  readonly #visitors: Visitor[] = [];
  #people = 0;

  /** @param play the play's name, after which its people and workspaces are called */
  constructor(stack: Stack, browser: Browser, play: string) {
    this.stack = stack;
    this.#browser = browser;
    this.#play = play;
  }

  get console(): string {
    return this.stack.console;
  }

  /** An address that nobody has yet. */
  address(name: string): string {
    this.#people += 1;
    return `${name}${this.#people}@${this.#play}.example`;
  }

  async visit(options?: VisitOptions): Promise<Visitor> {
    const visitor = await visit(this.#browser, options);
    this.#visitors.push(visitor);
    return visitor;
  }

  /** A browser in which the person has signed in and sees the console. */
  async signedIn(person: Credentials, options?: VisitOptions): Promise<Visitor> {
    const visitor = await this.visit(options);
    await visitor.page.goto(this.console);
    await signIn(visitor.page, person);
    await visitor.page.getByRole("heading", { level: 1 }).waitFor();
    return visitor;
  }

  /** The owner of a new workspace, who sees its first page. */
  async owner(options?: VisitOptions): Promise<Member> {
    const { person, tenantId, slug } = await this.workspace();
    return { ...(await this.signedIn(person, options)), person, tenantId, slug };
  }

  /** A new workspace and its owner, without a browser. */
  async workspace(name?: string): Promise<{ person: Person; tenantId: string; slug: string }> {
    const email = this.address("owner");
    const usual = `${this.#play} ${this.#people}`;
    const person = await signUp(this.stack, email);
    const { tenant_id, slug } = await openWorkspace(this.stack, person, name ?? usual);
    return { person, tenantId: tenant_id, slug };
  }

  /** Somebody who was invited and has joined, without a browser. */
  async colleague(owner: Member, grant?: object): Promise<Person> {
    const email = this.address("developer");
    const { user_id } = await this.api(owner.person, "POST", "/v1/users/invite", { email });
    if (grant) await this.api(owner.person, "PUT", `/v1/grants/${user_id}`, grant);
    return acceptInvitation(this.stack, { email, sub: user_id });
  }

  /** A developer of the owner's workspace, who sees its first page. */
  async developer(owner: Member, grant?: object, options?: VisitOptions): Promise<Member> {
    const person = await this.colleague(owner, grant);
    return { ...(await this.signedIn(person, options)), person, tenantId: owner.tenantId, slug: owner.slug };
  }

  /** A call of the control plane in somebody's name. @throws Error with the answer, if it is not a success */
  // biome-ignore lint/suspicious/noExplicitAny: a play names the fields that it needs
  async api(person: Credentials, method: string, path: string, body?: object): Promise<any> {
    const token = await consoleToken(this.stack, person);
    const response = await fetch(this.stack.at("api") + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  /** The text of the last mail to an address. */
  mail(email: string): string {
    return this.stack.mailbox.mails(email).at(-1)?.text ?? "";
  }

  /** The code in the last mail to an address. */
  mailedCode(email: string): string {
    const [code] = /\b\d{6}\b/.exec(this.mail(email)) ?? [];
    if (!code) throw new Error(`no code was mailed to ${email}: ${this.mail(email)}`);
    return code;
  }

  /** What the pages of this play show, for whoever looks why it failed. */
  async shown(): Promise<string[]> {
    const pages = this.#visitors.flatMap(({ context }) => context.pages());
    return Promise.all(
      pages.map(async (page) => `${page.url()} shows: ${await page.locator("body").innerText().catch(String)}`),
    );
  }

  /** Ends the play. @returns what its browsers complained of */
  async end(): Promise<string[]> {
    await Promise.all(this.#visitors.map(({ context }) => context.close()));
    return this.#visitors.flatMap(({ complaints }) => complaints);
  }
}

/** A grant of everything in the stack's own region. */
export const grantOf = (monthly_budget_usd: number) => ({
  allowed_models: ["*"],
  allowed_regions: ["eu-central-1"],
  monthly_budget_usd,
});

export function expect(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}
