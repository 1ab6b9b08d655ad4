// Hashes API keys. bcryptjs is loaded only when a key must be hashed: most requests of a warm instance need no hash.

/**
 * The least that bcrypt knows. A key's secret has 190 random bits, which no work factor protects further, and each new
 * instance pays the cost once for each key (docs/decisions/0008). Hashes of any other cost are compared all the same.
 */
const cost = 4;

export async function hashApiKey(key: string): Promise<string> {
  const bcrypt = await import("bcryptjs");
  return bcrypt.hash(key, cost);
}

/** Whether this is the key's hash. */
export async function compareApiKey(key: string, hash: string): Promise<boolean> {
  const bcrypt = await import("bcryptjs");
  return bcrypt.compare(key, hash);
}
