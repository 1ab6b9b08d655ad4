// Time that goes from event to event, and runs that are played in it.

type Event = { at: number; order: number; act: () => void };

export class VirtualTime {
  /** Milliseconds since the epoch. */
  now: number;
  #order = 0;
  /** The next event is the last element. */
  readonly #events: Event[] = [];

  constructor(start: number) {
    this.now = start;
  }

  readonly clock = (): number => Math.round(this.now);

  readonly pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void this.schedule(milliseconds, resolve));

  /** @returns a function that cancels the event */
  readonly schedule = (milliseconds: number, act: () => void): (() => void) => {
    const event = { at: this.now + Math.max(0, milliseconds), order: this.#order++, act };
    const events = this.#events;
    let low = 0;
    for (let high = events.length; low < high; ) {
      const middle = (low + high) >> 1;
      const other = events[middle] as Event;
      if (other.at > event.at) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, event);
    return () => {
      const place = events.indexOf(event);
      if (place >= 0) events.splice(place, 1);
    };
  };

  /** Plays the next event. False if there is none. */
  step(): boolean {
    const next = this.#events.pop();
    if (!next) return false;
    this.now = next.at;
    next.act();
    return true;
  }
}

export type Run<T> = { time: VirtualTime; result: () => T };

/** Runs played at a time: between two events of one there is a turn of Node's loop, which they share. */
const lanes = 32;

/** One run for each seed, begun by `begin`. The results come in the order of the seeds. */
export async function playAll<T>(seeds: readonly number[], begin: (seed: number) => Run<T>): Promise<T[]> {
  const results = new Map<number, T>();
  const waiting = [...seeds].reverse();
  const playing = new Map<number, Run<T>>();
  while (waiting.length > 0 || playing.size > 0) {
    while (playing.size < lanes && waiting.length > 0) {
      const seed = waiting.pop() as number;
      playing.set(seed, begin(seed));
    }
    // Code whose promises have resolved goes on first.
    await new Promise(setImmediate);
    for (const [seed, run] of playing) {
      if (run.time.step()) continue;
      results.set(seed, run.result());
      playing.delete(seed);
    }
  }
  return seeds.map((seed) => results.get(seed) as T);
}

/** Seeds from `first` on. */
export function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
