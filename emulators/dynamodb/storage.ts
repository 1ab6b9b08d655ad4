// One Level database of JSON values, in memory or in a folder. Each batch of writes is made whole or not at all.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { database, type Level, type Range, type Write } from "./dynalite.ts";

/** The prefix of the keys of a table's items; the key of dynalite follows. */
export function itemSpace(table: string): string {
  return `item-${table}~`;
}

/** The prefix of the keys of an index's entries. */
export function indexSpace(table: string, index: string): string {
  return `index-${table}~${index}~`;
}

export class Storage {
  readonly #level: Level;

  private constructor(level: Level) {
    this.#level = level;
  }

  /**
   * @param folder made if it is missing; none keeps everything in memory.
   * @throws Error if the folder is in use or damaged.
   */
  static async open(folder?: string): Promise<Storage> {
    const { db } = database.create(folder === undefined ? {} : { path: folder });
    try {
      await db.open();
    } catch (error) {
      throw unusableFolder(folder, (error as Error).cause ?? error);
    }
    const lost = folder === undefined ? undefined : await lostWrites(folder);
    if (lost === undefined) return new Storage(db);
    await db.close();
    throw unusableFolder(folder, lost);
  }

  async close(): Promise<void> {
    await this.#level.close();
  }

  /** The value of a key, or undefined. */
  get(key: string): unknown {
    return this.#level.getSync(key);
  }

  /** Writes all or, if the process dies meanwhile, nothing. */
  async write(writes: Write[]): Promise<void> {
    if (writes.length > 0) await this.#level.batch(writes);
  }

  values(range: Range): ReturnType<Level["values"]> {
    return this.#level.values(range);
  }

  /** The keys that begin with `prefix`, with their values, in the keys' order. */
  entries(prefix: string): AsyncIterable<[string, unknown]> {
    return this.#level.iterator({ gte: prefix, lt: `${prefix}\uffff` });
  }
}

/** LevelDB drops damaged entries at the end of its log; only its file LOG tells so, as `dropping <n> bytes`. */
async function lostWrites(folder: string): Promise<Error | undefined> {
  const log = await readFile(join(folder, "LOG"), "utf8");
  const dropped = [...log.matchAll(/dropping (\d+) bytes/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
  if (dropped > 0) return new Error(`${dropped} bytes of the last writes are damaged and lost`);
  return undefined;
}

/** Advice for data that cannot be used. */
export const startingAnew = "The same `npm start` with --reset empties it and starts anew.";

/** The error for a folder that cannot be used, with the reason at its end. */
export function unusableFolder(folder: string | undefined, cause: unknown): Error {
  const reason = (cause as Error).message;
  return new Error(
    `The DynamoDB folder ${folder} cannot be opened: it is in use by another process, or damaged. ` +
      `Stop the other process, or empty the folder. ${startingAnew} (${reason})`,
    { cause },
  );
}
