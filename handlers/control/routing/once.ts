// Runs an endpoint's operation. If the route is idempotent, it runs once for each Idempotency-Key of a caller.
import { createOnce, KeyUsed } from "../../../domain/kernel/idempotency.ts";
import { fieldRefusal } from "../../../domain/kernel/refusal.ts";
import { provenTenant } from "../../middleware/caller.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { AnyRequest, Endpoint } from "./implement.ts";

type Dependencies = Pick<ControlDependencies, "idempotency" | "clock">;

/**
 * Returns the answer as it is sent and as it is kept for repeats: only fields of the route's response.
 * @throws Refusal of the operation, or idempotency_key_used if the key was used already
 */
export async function operateOnce(
  endpoint: Endpoint,
  request: AnyRequest,
  idempotencyKey: string | undefined,
  { idempotency, clock }: Dependencies,
): Promise<unknown> {
  const shown = (answer: unknown) => endpoint.response?.parse(answer);
  if (!endpoint.idempotent) return shown(await endpoint.operate(request));

  const { newId, create } = await endpoint.operate(request);
  const creation = { newId, create: async (id: string) => shown(await create(id).catch(refuseUsed)) };
  if (idempotencyKey === undefined) return creation.create(newId);

  const { caller, ...asked } = request;
  const once = {
    sub: caller.sub,
    key: idempotencyKey,
    request: [endpoint.method, endpoint.path, provenTenant(caller), asked],
    keepAnswer: endpoint.answer !== "shown_once",
    now: clock(),
  };
  return createOnce(idempotency, once, creation).catch(refuseUsed);
}

function refuseUsed(error: unknown): never {
  throw error instanceof KeyUsed ? fieldRefusal("idempotency_key_used", "idempotency-key", error.message) : error;
}
