// The settings of the model host, which can change while it runs.
import * as z from "zod";

const schema = z.strictObject({
  /** The length of a text answer in output tokens, thinking included. Left out or null: a few sentences. */
  outputTokens: z
    .int()
    .positive()
    .nullish()
    .transform((tokens) => tokens ?? undefined),
  /** Output tokens that travel in one delta event. */
  tokensPerEvent: z.int().positive(),
  /** The pace of generation, streaming or not. */
  millisecondsPerToken: z.number().nonnegative(),
  /** How long the first event, or the whole answer of CountTokens, takes to begin. */
  firstByteMs: z.number().nonnegative(),
  /** Whether the account is as those made since 31 August 2026, to whom every newest model binds its thinking. */
  bindsThinking: z.boolean(),
});

export type Settings = z.output<typeof schema>;
export type SettingsChange = Partial<z.input<typeof schema>>;

export const defaultSettings: Settings = {
  outputTokens: undefined,
  tokensPerEvent: 4,
  millisecondsPerToken: 0,
  firstByteMs: 0,
  bindsThinking: true,
};

/**
 * The settings with some of them changed.
 * @throws Error that names what is unknown or out of range.
 */
export function changedSettings(settings: Settings, change: SettingsChange): Settings {
  const parsed = schema.safeParse({ ...settings, ...change });
  if (parsed.success) return parsed.data;
  throw new Error(`Model host settings: ${z.prettifyError(parsed.error)}`);
}
