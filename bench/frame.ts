// Frames of Amazon's event stream with one chunk each, as Bedrock sends them. Written here and not with the SDK's codec, so
// that making a frame with a time stamp delays it by microseconds only.
import { crc32 } from "node:zlib";

const stringType = 7;

function header(name: string, value: string): Buffer {
  const nameBytes = Buffer.from(name);
  const valueBytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length);
  return Buffer.concat([Buffer.of(nameBytes.length), nameBytes, Buffer.of(stringType), length, valueBytes]);
}

const headers = Buffer.concat([
  header(":event-type", "chunk"),
  header(":content-type", "application/json"),
  header(":message-type", "event"),
]);

/** Lengths and their checksum. */
const preludeBytes = 12;
const checksumBytes = 4;

/** The frame that carries `json`, the text of one event. */
export function chunkFrame(json: string): Buffer {
  const payload = Buffer.from(`{"bytes":"${Buffer.from(json).toString("base64")}","p":"abcdefghijkl"}`);
  const frame = Buffer.alloc(preludeBytes + headers.length + payload.length + checksumBytes);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, preludeBytes);
  payload.copy(frame, preludeBytes + headers.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, -checksumBytes)), frame.length - checksumBytes);
  return frame;
}
