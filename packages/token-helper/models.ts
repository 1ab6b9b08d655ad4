// What the token helper asks of the platform beside who its person is: models, one message, keys.
import * as z from "zod/mini";
import { Failure } from "../command-line/failure.ts";
import { isToken } from "../sign-in/access-cache.ts";
import { request } from "../sign-in/platform/http.ts";
import { type Platform, understood } from "../sign-in/platform/platform.ts";

const modelSchema = z.object({
  id: z.string(),
  display_name: z.optional(z.string()),
  max_input_tokens: z.optional(z.nullable(z.number())),
  max_tokens: z.optional(z.nullable(z.number())),
  last_day: z.optional(z.string()),
  vendor_last_day: z.optional(z.string()),
  successor: z.optional(z.string()),
});

export type Model = z.output<typeof modelSchema>;

/** A line for people about each of these models that ends. */
export function endings(models: readonly Model[], ids: readonly string[]): string[] {
  return models
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ id, last_day, vendor_last_day, successor }) => {
      const instead = successor === undefined ? "" : `; use ${successor} instead`;
      if (last_day !== undefined) return [`${id} can be called until ${last_day}${instead}`];
      return vendor_last_day === undefined ? [] : [`${id} ends at its vendor on ${vendor_last_day}${instead}`];
    });
}

type ModelCall = { slug: string; model: string; region?: string | undefined };

/** The models that may be called in the region. @throws Failure. */
export async function modelsIn(platform: Platform, slug: string, region: string): Promise<Model[]> {
  const headers = { [platform.regionHeader]: region };
  const answer = await platform.ask(`${platform.proxyUrl(slug)}/v1/models?limit=1000`, undefined, headers);
  return understood(z.object({ data: z.array(modelSchema) }), answer, "the proxy's list of models is none").data;
}

/** Sends a short message, as a client does. @returns the call's id @throws Failure with what the proxy says. */
export async function callModel(platform: Platform, { slug, model, region }: ModelCall): Promise<string | undefined> {
  const messages = [{ role: "user", content: "Say hello in one word." }];
  const headers = { "anthropic-version": "2023-06-01", ...(region && { [platform.regionHeader]: region }) };
  const body = { model, max_tokens: 16, messages };
  return (await platform.askedAs(`${platform.proxyUrl(slug)}/v1/messages`, body, headers)).requestId;
}

/** Whether the proxy takes an API key that was found in the environment. @throws Failure if it does not say. */
export async function takesKey(platform: Platform, slug: string, key: string): Promise<boolean> {
  if (!isToken(key)) return false;
  const { status } = await request(`${platform.proxyUrl(slug)}/v1/models`, { headers: { "x-api-key": key } });
  if (status < 500) return status === 200;
  throw new Failure("unreachable", `the proxy answers ${status}: try again`);
}

/** A new API key of the caller's own. @throws Failure. */
export async function createKey(platform: Platform, name: string): Promise<{ key: string; key_id: string }> {
  const schema = z.object({ key: z.string(), key_id: z.string() });
  const answer = await platform.ask(platform.api("/keys"), { name });
  return understood(schema, answer, "the platform created a key and does not show it");
}

/** Ends all sign-ins of the caller. @throws Failure. */
export async function signOutEverywhere(platform: Platform): Promise<void> {
  await platform.ask(platform.api("/me/sign-out-everywhere"), {});
}
