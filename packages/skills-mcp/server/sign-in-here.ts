// A sign-in that a call has need of: the person is led to it, and the call goes on.
import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { inputResponse } from "@modelcontextprotocol/server";
import { exitCodes, Failure } from "../../command-line/failure.ts";
import type { Session } from "../../sign-in/session.ts";
import { signInAt } from "../../sign-in/session.ts";
import type { Errand, Person } from "./person.ts";

const key = "sign_in";

export class SignInHere {
  readonly #session: Session;
  readonly #person: Person;
  readonly #scopes: (scope: string) => boolean;
  readonly #signedIn: () => Promise<void>;

  /**
   * @param signedIn is called after a sign-in, before the call goes on
   * @param scopes which of the client's scopes are asked for
   */
  constructor(
    session: Session,
    person: Person,
    signedIn: () => Promise<void>,
    scopes: (scope: string) => boolean = () => true,
  ) {
    this.#session = session;
    this.#person = person;
    this.#signedIn = signedIn;
    this.#scopes = scopes;
  }

  /** Does the work; where nobody is signed in, once the person is. @throws Failure, InputNeeded. */
  async before(server: McpServer, ctx: ServerContext, work: () => Promise<CallToolResult>): Promise<CallToolResult> {
    if (inputResponse(ctx.mcpReq.inputResponses, key).kind !== "missing") {
      await this.#lead(server, ctx);
      return work();
    }
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure && error.exitCode === exitCodes.signInNeeded)) throw error;
      await this.#lead(server, ctx, error);
      return work();
    }
  }

  async #lead(server: McpServer, ctx: ServerContext, why?: Failure): Promise<void> {
    const { machine, profile } = this.#session;
    const { name } = machine.program;
    const url = profile.lastUrl() ?? machine.env.ARCHWAY_URL;
    if (!url) throw new Failure("failed", why?.message ?? `not signed in: run ${name} login --url URL in a terminal`);
    const otherwise = `Not signed in: run ${name} login in a terminal.`;
    const message = "Sign in to Archway, so that your assistant can use the skills of your workspace.";
    await this.#person.lead("sign-in", { key, message, begin: () => this.#begin(url), otherwise, server, ctx });
    await this.#signedIn().catch(() => undefined);
  }

  /** The sign-in's own page is its address; it comes back to this machine. */
  #begin(url: string): Promise<Errand<unknown>> {
    return new Promise((resolve, reject) => {
      const quiet = { ...this.#session, machine: { ...this.#session.machine, say: () => undefined } };
      const open = async (address: string) => resolve({ url: address, done });
      const done = signInAt(quiet, url, { browser: true, open, scopes: this.#scopes });
      done.catch(reject);
    });
  }
}
