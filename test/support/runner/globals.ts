// What tests import as `@jest/globals`: the runner has set it globally, but for most of Jest's timers.
import { ModernFakeTimers } from "@jest/fake-timers";

const globals = globalThis as unknown as typeof import("@jest/globals");
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = globals;

type Options = ConstructorParameters<typeof ModernFakeTimers>[0];
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } as Options["config"] });

export const jest = {
  ...globals.jest,
  useFakeTimers: timers.useFakeTimers.bind(timers),
  useRealTimers: timers.useRealTimers.bind(timers),
  advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
  advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
  getTimerCount: timers.getTimerCount.bind(timers),
};
