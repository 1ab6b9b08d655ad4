// Node's SHA-256 as AWS's signer uses it. What the signer asks for again and again is kept (docs/decisions/0006).
import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { Checksum, SourceData } from "@smithy/types";

/** Hashes one piece, with a secret or without. */
export class Sha256 implements Checksum {
  readonly #secret: SourceData | undefined;
  #data: Uint8Array = new Uint8Array();

  constructor(secret?: SourceData) {
    this.#secret = secret;
  }

  update(data: Uint8Array): void {
    this.#data = this.#data.length === 0 ? data : Buffer.concat([this.#data, data]);
  }

  async digest(): Promise<Uint8Array> {
    if (this.#secret === undefined) return hash("sha256", this.#data, "buffer");
    return typeof this.#secret === "string" ? derived(this.#secret, this.#data) : hmac(this.#secret, this.#data);
  }

  reset(): void {
    this.#data = new Uint8Array();
  }
}

/** The signer derives the same few things from an access key for each request; they are made once. */
const derivations = new Map<string, Uint8Array>();
/** The signer asks with the same few secrets again and again, and Node takes a key object five times as fast as its bytes. */
const keyObjects = new Map<SourceData, KeyObject>();
/** Those of 1,000 sessions: the access key's own and the derived one of each. */
const maxRemembered = 2_000;

function derived(secret: string, data: Uint8Array): Uint8Array {
  const name = `${secret} ${Buffer.from(data).toString("latin1")}`;
  return remembered(derivations, name, () => hmac(Buffer.from(secret), data));
}

function hmac(secret: SourceData, data: Uint8Array): Uint8Array {
  const key = remembered(keyObjects, secret, () => createSecretKey(bytesOf(secret)));
  return createHmac("sha256", key).update(data).digest();
}

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const old = known.get(key);
  if (old !== undefined) return old;
  const made = make();
  if (known.size >= maxRemembered) known.clear();
  known.set(key, made);
  return made;
}

function bytesOf(data: SourceData): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
