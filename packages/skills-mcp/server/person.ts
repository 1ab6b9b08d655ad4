// The person behind a client, led to an address: by the client where it can, else in this machine's browser.
import { inputRequired, inputResponse, type McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { Failure } from "../../command-line/failure.ts";
import { hasDisplay, openBrowser } from "../../command-line/machine/browser.ts";
import type { Machine } from "../../command-line/machine/machine.ts";
import { InputNeeded } from "./answer.ts";
import { opensAddresses } from "./client.ts";

/** Clients end a call after a minute or later (the SDK's own after 60 s), so a call waits less for a person. */
const waitMs = 45_000;

/** @property done ends with what the person did there */
export type Errand<T> = { url: string; done: Promise<T> };

type Lead<T> = {
  /** The id of the request for input within this call. */
  key: string;
  message: string;
  /** Begins the errand; a call that comes back for it finds the one that it began. */
  begin: () => Promise<Errand<T>>;
  /** A sentence that says what else the person can do. */
  otherwise: string;
  server: McpServer;
  ctx: ServerContext;
};

/** The errands of a connection that wait for their person. */
export class Person {
  readonly #machine: Machine;
  readonly #waiting = new Map<string, Errand<unknown>>();
  readonly #waitMs: number;

  constructor(machine: Machine, longest = waitMs) {
    this.#machine = machine;
    this.#waitMs = longest;
  }

  /** @param subject what the errand is about @throws InputNeeded, or Failure if nobody did it. */
  async lead<T>(subject: string, { key, message, begin, otherwise, server, ctx }: Lead<T>): Promise<T> {
    const told = inputResponse(ctx.mcpReq.inputResponses, key);
    const begun = this.#waiting.get(subject) as Errand<T> | undefined;
    if (told.kind !== "elicit" || !begun) {
      const errand = await begin();
      // Nobody may await the errand any more when it fails.
      errand.done.catch(() => undefined);
      this.#waiting.set(subject, errand);
      if (opensAddresses(server, ctx))
        throw new InputNeeded({ [key]: inputRequired.elicitUrl({ message, url: errand.url }) });
      if (!hasDisplay(this.#machine)) throw this.#ended(subject, `nobody can be asked here. ${otherwise}`);
      await openBrowser(errand.url, this.#machine).catch(() => {
        throw this.#ended(subject, `no browser opens here. ${otherwise}`);
      });
      return this.#outcome(subject, errand);
    }
    if (told.action !== "accept") throw this.#ended(subject, `nobody agreed to it. ${otherwise}`);
    return this.#outcome(subject, begun);
  }

  async #outcome<T>(subject: string, { done }: Errand<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), this.#waitMs);
    });
    const outcome = await Promise.race([done.then((value) => ({ value })), late]).finally(() => clearTimeout(timer));
    if (outcome === "late")
      throw new Failure("failed", "the page is open and still waits for the person: look again when they are done");
    this.#waiting.delete(subject);
    return outcome.value;
  }

  #ended(subject: string, message: string): Failure {
    this.#waiting.delete(subject);
    return new Failure("failed", message);
  }
}
