// The sessions of the Code Interpreters. They live as long as the stack runs, and end by its clock.
import type { Clock } from "../../clock.ts";
import type { Sandbox } from "../../sandbox/level.ts";
import { randomText } from "../ids.ts";
import { conflict, invalid, notFound, overQuota } from "../refusals.ts";
import type { Settings } from "../settings.ts";
import type { Interpreter } from "./interpreters.ts";
import { Session } from "./session.ts";

export type SessionStatus = "READY" | "TERMINATED";

export type KeptSession = {
  id: string;
  interpreter: Interpreter;
  name?: string | undefined;
  clientToken?: string | undefined;
  timeoutSeconds: number;
  status: SessionStatus;
  createdAt: number;
  updatedAt: number;
  session: Session;
};

type SessionsOptions = {
  interpreters: readonly Interpreter[];
  sandbox: Sandbox;
  clock: Clock;
  settings: () => Settings;
};

type Wanted = Pick<KeptSession, "name" | "clientToken" | "timeoutSeconds">;

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #kept = new Map<string, KeptSession>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #forgetClock: () => void;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#forgetClock = options.clock.onAdvance(() => void this.#endOverdue());
  }

  /** @throws AwsError ResourceNotFoundException */
  interpreter(id: string, region: string): Interpreter {
    const found = this.#options.interpreters.find((one) => one.id === id && one.region === region);
    if (!found) throw notFound(`Code interpreter ${id} was not found`);
    return found;
  }

  /** A client token that was given before gets the session that it made. */
  start(interpreter: Interpreter, wanted: Wanted): KeptSession {
    const { sandbox, clock, settings } = this.#options;
    const { clientToken } = wanted;
    const made = this.of(interpreter).find((one) => clientToken !== undefined && one.clientToken === clientToken);
    if (made) return made;
    if (!sandbox.runs) {
      throw invalid("This machine has no sandbox: install bubblewrap, or start the local stack with --sandbox none");
    }
    const { quotas, session: limits } = settings();
    const ready = [...this.#kept.values()].filter(({ status }) => status === "READY");
    if (ready.length >= quotas.codeInterpreterSessions) throw overQuota("The quota of active sessions is reached");
    const now = clock.now();
    const kept: KeptSession = {
      ...wanted,
      // "[0-9a-zA-Z]{1,40}" (API reference, StartCodeInterpreterSession).
      id: randomText(26, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"),
      interpreter,
      status: "READY",
      createdAt: now,
      updatedAt: now,
      session: new Session({ interpreter, level: sandbox.level, limits }),
    };
    this.#kept.set(kept.id, kept);
    this.#timers.add(setTimeout(() => void this.#endOverdue(), wanted.timeoutSeconds * 1_000).unref());
    return kept;
  }

  of({ id }: Interpreter): KeptSession[] {
    return this.all().filter(({ interpreter }) => interpreter.id === id);
  }

  all(): KeptSession[] {
    return [...this.#kept.values()];
  }

  /** @throws AwsError ResourceNotFoundException */
  get(interpreter: Interpreter, id: string): KeptSession {
    const kept = this.#kept.get(id);
    if (kept?.interpreter.id === interpreter.id) return kept;
    throw notFound(`Session ${id} was not found`);
  }

  /** @throws AwsError for a session that is not there or has ended */
  ready(interpreter: Interpreter, id: string): KeptSession {
    const kept = this.get(interpreter, id);
    if (kept.status !== "READY") throw conflict(`Session ${id} is ${kept.status}`);
    return kept;
  }

  async stop(kept: KeptSession): Promise<void> {
    if (kept.status === "READY") {
      kept.status = "TERMINATED";
      kept.updatedAt = this.#options.clock.now();
    }
    await kept.session.close();
  }

  async close(): Promise<void> {
    this.#forgetClock();
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.all().map((kept) => this.stop(kept)));
  }

  async #endOverdue(): Promise<void> {
    const now = this.#options.clock.now();
    const overdue = this.all().filter(
      ({ status, createdAt, timeoutSeconds }) => status === "READY" && createdAt + timeoutSeconds * 1_000 <= now,
    );
    await Promise.all(overdue.map((kept) => this.stop(kept)));
  }
}
