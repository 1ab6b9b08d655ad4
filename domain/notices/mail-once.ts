// Mails something at most once, by the state of its record (notice.ts says which states there are). Its message in the queue may come twice, and
// the function may die at any point.
import { type Mail, type Mailer, MailUncertain } from "../kernel/mail.ts";
import type { MailState } from "./notice.ts";

/** A mail that is `sending` for longer belongs to a function that died: its timeout is shorter (handlers/notify/contract.ts). */
const sendingMs = 60_000;

export class NoticeUnknown extends Error {
  override name = "NoticeUnknown";

  constructor(options?: ErrorOptions) {
    super("Nobody knows whether a notice was mailed, so it is not mailed again", options);
  }
}

/** Returns the record in another state, with the next version. */
export function withState<R extends MailState>(record: R, state: MailState["state"], now: number): R {
  return { ...record, state, changed_at: now, version: record.version + 1 };
}

type Once<R> = {
  /** Writes the record. @returns false if the stored record is not at the version before */
  put: (record: R) => Promise<boolean>;
  mailer: Mailer;
  clock: () => number;
};

/**
 * Mails what is due. A repeat does not mail it again.
 * @param compose gives undefined if nobody needs the mail any more
 * @returns what became of the mail; undefined if there was nothing to do
 * @throws NoticeUnknown at each repeat if the mail may have been sent; any other error leaves it due
 */
export async function mailOnce<R extends MailState>(
  { put, mailer, clock }: Once<R>,
  record: R | undefined,
  compose: () => Promise<Mail | undefined>,
): Promise<"sent" | "none" | "dropped" | undefined> {
  const move = async (from: R, state: MailState["state"]) => {
    const to = withState(from, state, clock());
    return (await put(to)) ? to : undefined;
  };
  if (record?.state === "unknown") throw new NoticeUnknown();
  if (record?.state === "sending") {
    if (clock() - record.changed_at < sendingMs) throw new Error("A notice is being mailed by another");
    await move(record, "unknown");
    throw new NoticeUnknown();
  }
  if (record?.state !== "due") return undefined;
  const mail = await compose();
  if (!mail) {
    await move(record, "dropped");
    return "dropped";
  }
  const sending = await move(record, "sending");
  // The notice is being sent by another function, or was followed by a newer one, which has a message of its own.
  if (!sending) return undefined;
  const sent = await mailer.send(mail).catch(async (error) => {
    const isUncertain = error instanceof MailUncertain;
    await move(sending, isUncertain ? "unknown" : "due");
    throw isUncertain ? new NoticeUnknown({ cause: error }) : error;
  });
  // If this write fails, a repeat finds the record `sending` and sets it to `unknown`.
  await move(sending, sent === "sent" ? "sent" : "dropped");
  return sent;
}
