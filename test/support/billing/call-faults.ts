// Faults of the calls that a function makes: a test may break each one before and after its effect, or let the function die in it.
import { AsyncLocalStorage } from "node:async_hooks";

/** The function died in this call, and makes no other one. */
export class Killed extends Error {}

/** Called before and after the effect of each call; what it throws, the call throws. */
export type Disturbance = (call: string, when: "before" | "after") => void | Promise<void>;

export class CallFaults {
  disturb: Disturbance = () => {};
  readonly #run = new AsyncLocalStorage<{ isDead: boolean }>();

  /** One invocation of a function; what it throws is over with it. */
  async run(act: () => Promise<unknown>): Promise<void> {
    await this.#run.run({ isDead: false }, act).catch(() => undefined);
  }

  async strike(call: string, when: "before" | "after"): Promise<void> {
    const run = this.#run.getStore();
    if (run?.isDead) throw new Killed();
    try {
      await this.disturb(call, when);
    } catch (error) {
      if (run && error instanceof Killed) run.isDead = true;
      throw error;
    }
  }
}
