// The frames of Bedrock's event stream: one frame for each chunk.
import { eventFrame } from "../aws/event-stream.ts";

/** Bedrock pads frames so that their length does not reveal their content. */
const padding = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** A cache of the frames of short events by their JSON, since answers repeat the same sentences. */
const cachedFrames = new Map<string, Buffer>();
const maxCachedFrames = 4096;
const maxCachedLength = 512;

/** The frame of one chunk. @param json the text of a Messages API event, or any text for a fault */
export function chunkFrame(json: string): Buffer {
  const known = cachedFrames.get(json);
  if (known) return known;
  const p = padding.slice(0, 1 + ((json.length * 7) % padding.length));
  const frame = eventFrame("chunk", { bytes: Buffer.from(json).toString("base64"), p });
  if (json.length <= maxCachedLength) {
    if (cachedFrames.size >= maxCachedFrames) cachedFrames.clear();
    cachedFrames.set(json, frame);
  }
  return frame;
}
