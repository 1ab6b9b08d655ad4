// Sealed texts: JWE with a key of its own for each purpose (RFC 7516; `dir` with A256GCM). Two keys of the stack count, and the first seals.
import { createHash, hkdfSync } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import { type Purpose, type Sealed, type Sealing, sealedSchemas } from "../domain/connectors/sealed.ts";

const header = { alg: "dir", enc: "A256GCM" } as const;
/** More than the longest sealed text; a longer one is not looked at. */
const longest = 32_768;

/** @param keys the stack's sealing key, and the one before while it still counts */
export function sealing(keys: readonly string[]): Sealing {
  const [newest] = keys;
  if (newest === undefined) throw new Error("there is no sealing key");
  const byId = new Map(keys.map((key) => [idOf(key), key]));

  return {
    seal(purpose, content, until) {
      const sealed = new EncryptJWT({ sealed: content }).setProtectedHeader({ ...header, kid: idOf(newest) });
      if (until !== undefined) sealed.setExpirationTime(Math.floor(until / 1_000));
      return sealed.encrypt(keyFor(newest, purpose));
    },

    async open<P extends Purpose>(purpose: P, text: string, now: number) {
      if (text.length > longest) return undefined;
      try {
        const { payload } = await jwtDecrypt(text, ({ kid }) => keyFor(known(byId.get(kid ?? "")), purpose), {
          keyManagementAlgorithms: [header.alg],
          contentEncryptionAlgorithms: [header.enc],
          currentDate: new Date(now),
        });
        return sealedSchemas[purpose].parse(payload.sealed) as Sealed<P>;
      } catch {
        return undefined;
      }
    },
  };
}

function known(key: string | undefined): string {
  if (key === undefined) throw new Error("the text was sealed with another key");
  return key;
}

/** Names a key without showing anything of it. */
function idOf(key: string): string {
  return createHash("sha256").update(`archway sealing key ${key}`).digest("base64url").slice(0, 8);
}

function keyFor(key: string, purpose: Purpose): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "", `archway connectors ${purpose}`, 32));
}
