// The settings of the model host, which can change while it runs.
import * as z from "zod";

const schema = z.strictObject({
  /** The length of a text answer in output tokens, thinking included. Left out: a few sentences. */
  outputTokens: z.int().positive().optional(),
  /** Output tokens that travel in one delta event. */
  tokensPerEvent: z.int().positive(),
  /** The pace of generation, streaming or not. */
  millisecondsPerToken: z.number().nonnegative(),
  /** How long the first event, or the whole answer of CountTokens, takes to begin. */
  firstByteMs: z.number().nonnegative(),
});

export type Settings = z.output<typeof schema>;

export const defaultSettings: Settings = {
  outputTokens: undefined,
  tokensPerEvent: 4,
  millisecondsPerToken: 0,
  firstByteMs: 0,
};

/**
 * The settings with some of them changed.
 * @throws Error that names what is unknown or out of range.
 */
export function changedSettings(settings: Settings, change: Partial<Settings>): Settings {
  const parsed = schema.safeParse({ ...settings, ...change });
  if (parsed.success) return parsed.data;
  throw new Error(`Model host settings: ${z.prettifyError(parsed.error)}`);
}
