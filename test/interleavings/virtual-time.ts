// Time that goes from event to event. Code that awaits goes on between two of them.

type Event = { at: number; order: number; act: () => void };

export class VirtualTime {
  now: number;
  #order = 0;
  /** A binary heap whose first element is the next event. */
  readonly #events: Event[] = [];

  constructor(start: number) {
    this.now = start;
  }

  get isOver(): boolean {
    return this.#events.length === 0;
  }

  at(time: number, act: () => void): void {
    const events = this.#events;
    const event = { at: Math.max(time, this.now), order: this.#order++, act };
    let place = events.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = events[parent] as Event;
      if (!isBefore(event, above)) break;
      events[place] = above;
      place = parent;
    }
    events[place] = event;
  }

  after(milliseconds: number, act: () => void): void {
    this.at(this.now + milliseconds, act);
  }

  /** Plays the next event. */
  step(): void {
    const next = this.#pop();
    if (!next) return;
    this.now = next.at;
    next.act();
  }

  #pop(): Event | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (!first || !last || events.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1] as Event, events[child] as Event)) child++;
      if (!isBefore(events[child] as Event, last)) break;
      events[place] = events[child] as Event;
      place = child;
    }
    events[place] = last;
    return first;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** A story in virtual time. */
export type Story = {
  time: VirtualTime;
  /** Called when nothing is left to happen; returns false at the end. */
  goOn: () => boolean;
};

/** Stories played at a time: between two events of one there is a turn of Node's loop, which they share. */
const lanes = 64;

export async function playAll<T extends Story>(stories: Iterable<T>, ended: (story: T) => void): Promise<void> {
  const waiting = stories[Symbol.iterator]();
  const playing: T[] = [];
  for (;;) {
    while (playing.length < lanes) {
      const { value, done } = waiting.next();
      if (done) break;
      playing.push(value);
    }
    if (playing.length === 0) return;
    for (let index = playing.length - 1; index >= 0; index--) {
      const story = playing[index] as T;
      if (!story.time.isOver) story.time.step();
      else if (!story.goOn()) {
        ended(story);
        playing.splice(index, 1);
      }
    }
    // Code whose promises have resolved goes on first.
    await new Promise(setImmediate);
  }
}
