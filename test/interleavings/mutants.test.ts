// The interleavings notice each protection that is taken out: all of them in `npm run test:long`, in `npm test` a few of those that are
// found soonest.
import { expect, test } from "@jest/globals";
import { few, sizes } from "../support/sizes.ts";
import { isRare, mutants } from "./mutants.ts";
import type { Mutant } from "./product.ts";
import { Schedule } from "./schedule.ts";
import { playAll } from "./virtual-time.ts";

/** Each mutant is found in fewer schedules. */
const most = sizes.mutantInterleavings;
const minutes = 60_000;

/** The first seed whose schedule shows the mutant. */
async function seedThatShows(mutant: Mutant): Promise<number | undefined> {
  let found: number | undefined;
  function* schedules() {
    for (let seed = 1; seed <= most && found === undefined; seed++) yield new Schedule(seed, mutant);
  }
  await playAll(schedules(), ({ seed, world }) => {
    if (world.problems.size > 0) found ??= seed;
  });
  return found;
}

test.each(
  few(
    6,
    [...mutants].sort((one, other) => Number(isRare(one)) - Number(isRare(other))),
  ),
)(
  "the interleavings find the mutant: $name",
  async (mutant) => {
    expect(await seedThatShows(mutant)).toBeDefined();
  },
  10 * minutes,
);
