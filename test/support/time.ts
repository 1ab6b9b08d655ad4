// The local clock at a known place: tests begin at whatever time it is.
import { hourMilliseconds, nextMonth } from "../../domain/kernel/period.ts";
import type { Stack } from "../../local/stack.ts";

/** To this minute of the next hour. */
export function toMinute({ clock }: Stack, minute: number): void {
  clock.advance(hourMilliseconds - (clock.now() % hourMilliseconds) + minute * 60_000);
}

/** Into the next month, if this one ends within so many hours. */
export function awayFromMonthEnd({ clock }: Stack, hours: number): void {
  const end = nextMonth(clock.now());
  if (end - clock.now() < hours * hourMilliseconds) clock.advance(end - clock.now());
}
