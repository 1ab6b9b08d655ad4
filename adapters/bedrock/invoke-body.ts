// The body of InvokeModel. What the Messages API takes as headers is in it, and what it has of model and stream is in the address.
import type { ModelCall } from "../../domain/messages/model-host.ts";

/** The version that InvokeModel takes in the body for every model, and the only one for older models. */
const ownVersion = "bedrock-2023-05-31";

type InvokeRequest = Pick<ModelCall, "body" | "betas" | "metadata" | "version">;

/** Gives bytes: they are hashed and sent as they are, and a text of a long conversation would be copied for each. */
export function invokeBody({ body, betas, metadata, version = ownVersion }: InvokeRequest): Buffer {
  return withFields(body, {
    anthropic_version: version,
    anthropic_beta: betas.length > 0 ? betas : undefined,
    metadata,
  });
}

/** A body with further fields before its own. @param body the JSON of an object that is not empty */
export function withFields(body: string, fields: object): Buffer {
  const head = `${JSON.stringify(fields).slice(0, -1)},`;
  const fieldsAt = Buffer.byteLength(head);
  const bytes = Buffer.allocUnsafe(fieldsAt - 1 + Buffer.byteLength(body));
  // The body's own bracket is overwritten by the end of the head.
  bytes.write(body, fieldsAt - 1);
  bytes.write(head);
  return bytes;
}
