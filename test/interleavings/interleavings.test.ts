// Whatever dies, freezes, gets lost or comes late, and in whatever order: the accounting is right and the budget holds.
// ARCHWAY_INTERLEAVINGS_SEED is the first schedule's seed.
import { expect, test } from "@jest/globals";
import { sizes } from "../support/sizes.ts";
import { Schedule } from "./schedule.ts";
import { playAll } from "./virtual-time.ts";

const count = sizes.interleavings;
const first = Number(process.env.ARCHWAY_INTERLEAVINGS_SEED ?? 1);
/** The time for a schedule on a busy machine; an idle one plays some four hundred in a second. */
const millisecondsEach = 150;

/** Events of which there is at least one for each hundred schedules. */
const meant = [
  ...["deaths", "freezes", "timeouts", "late writes", "queued", "tombstones", "reclaimed", "corrected"],
  ...["overdrafts", "moved in", "filled", "shortened"],
  ...["slices drawn", "slices taken back"],
];

function* schedules(from: number, number: number) {
  for (let seed = from; seed < from + number; seed++) yield new Schedule(seed);
}

test(
  `${count} interleavings break no rule`,
  async () => {
    const broken: string[] = [];
    const seen: Record<string, number> = {};
    await playAll(schedules(first, count), ({ seed, world }) => {
      for (const problem of world.problems) broken.push(`seed ${seed}: ${problem}`);
      seen.calls = (seen.calls ?? 0) + world.calls.size;
      for (const [what, times] of Object.entries(world.counts)) seen[what] = (seen[what] ?? 0) + times;
    });
    if (count > 10_000) console.log(seen);
    expect(broken.slice(0, 20)).toEqual([]);
    // The events that the schedules are meant to play have happened.
    const tooRare = meant.filter((what) => (seen[what] ?? 0) < count / 100);
    expect(tooRare).toEqual([]);
  },
  60_000 + count * millisecondsEach,
);

test("the same seed plays the same schedule", async () => {
  const played: string[] = [];
  for (let times = 0; times < 2; times++) {
    await playAll(schedules(7, 1), ({ world }) => played.push(JSON.stringify([world.counts, [...world.table.items]])));
  }
  expect(played[0]).toEqual(played[1]);
});
