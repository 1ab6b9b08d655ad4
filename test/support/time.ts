// The local clock at a known place: tests begin at whatever time it is.
import { hourMs, nextMonth } from "../../domain/kernel/period.ts";
import type { Stack } from "../../local/stack.ts";

/** To this minute of the next hour. */
export function toMinute({ clock }: Stack, minute: number): void {
  clock.advance(hourMs - (clock.now() % hourMs) + minute * 60_000);
}

/** Into the next month, if this one ends within so many hours. */
export function awayFromMonthEnd({ clock }: Stack, hours: number): void {
  const end = nextMonth(clock.now());
  if (end - clock.now() < hours * hourMs) clock.advance(end - clock.now());
}
