// Time that stands still until a test advances it: a clock and the timers that go by it.
import type { Schedule } from "../../handlers/proxy/idle-timeout.ts";

export class FakeTime {
  #now: number;
  #timers: { at: number; act: () => void }[] = [];

  constructor(start: string | number = "2026-11-21T05:00:00.000Z") {
    this.#now = typeof start === "number" ? start : Date.parse(start);
  }

  readonly clock = (): number => this.#now;

  readonly schedule: Schedule = (milliseconds, act) => {
    const timer = { at: this.#now + milliseconds, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  };

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** Moves on, timer by timer, and lets each have its consequences. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#now = Math.max(this.#now, next.at);
      next.act();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
