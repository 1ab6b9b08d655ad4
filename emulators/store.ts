// The store of the emulated services: documents by kind and id, in one SQLite file that survives a killed process.
import { DatabaseSync, type StatementSync } from "node:sqlite";

export class Store {
  readonly #db: DatabaseSync;
  readonly #collections = new Map<string, Collection<unknown>>();

  /**
   * @param path a file, or ":memory:" to keep nothing.
   * @throws Error if the file is damaged.
   */
  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    try {
      this.#db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
      this.#db.exec("CREATE TABLE IF NOT EXISTS document (kind TEXT, id TEXT, value TEXT, PRIMARY KEY (kind, id))");
    } catch (error) {
      this.#db.close();
      const reason = (error as Error).message;
      throw new Error(`The data in ${path} cannot be read: ${reason}. Start with --reset to empty it.`, {
        cause: error,
      });
    }
  }

  /** The documents of one kind, as plain JSON values. */
  collection<T>(kind: string): Collection<T> {
    const collection = this.#collections.get(kind) ?? new Collection<unknown>(this.#db, kind);
    this.#collections.set(kind, collection);
    return collection as Collection<T>;
  }

  /** False once the store is closed. A late answer asks this before it writes, as a closed store keeps nothing. */
  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  close(): void {
    this.#db.close();
  }
}

export class Collection<T> {
  readonly #kind: string;
  readonly #get: StatementSync;
  readonly #all: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync, kind: string) {
    this.#kind = kind;
    this.#get = db.prepare("SELECT value FROM document WHERE kind = ? AND id = ?");
    this.#all = db.prepare("SELECT value FROM document WHERE kind = ? ORDER BY rowid");
    this.#put = db.prepare(
      "INSERT INTO document (kind, id, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
    );
    this.#delete = db.prepare("DELETE FROM document WHERE kind = ? AND id = ?");
  }

  get(id: string): T | undefined {
    const row = this.#get.get(this.#kind, id);
    return row && (JSON.parse(row.value as string) as T);
  }

  /** All documents, in the order in which they were first put. */
  all(): T[] {
    return this.#all.all(this.#kind).map((row) => JSON.parse(row.value as string) as T);
  }

  put(id: string, value: T): void {
    this.#put.run(this.#kind, id, JSON.stringify(value));
  }

  delete(id: string): boolean {
    return this.#delete.run(this.#kind, id).changes > 0;
  }
}
