// Records of notices in memory, written on the same condition as in the table.
import type { NoticeRecord, NoticeStore, NoticeSubject } from "../../../domain/notices/notice.ts";

export class MemoryNotices implements NoticeStore {
  readonly #records = new Map<string, NoticeRecord>();
  /** Asked before each write; a test may break it. */
  beforePut: (record: NoticeRecord) => void = () => {};

  async many(): Promise<(subject: NoticeSubject) => NoticeRecord | undefined> {
    const all = new Map(this.#records);
    return (subject) => all.get(JSON.stringify(subject));
  }

  async get(subject: NoticeSubject): Promise<NoticeRecord | undefined> {
    return this.#records.get(JSON.stringify(subject));
  }

  async put(subject: NoticeSubject, record: NoticeRecord): Promise<boolean> {
    this.beforePut(record);
    const before = this.#records.get(JSON.stringify(subject));
    if ((before?.version ?? 0) !== record.version - 1) return false;
    this.#records.set(JSON.stringify(subject), record);
    return true;
  }
}
