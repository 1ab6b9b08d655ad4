// Telling a person by mail of what was done. What was done stands, whether or not the mail goes out.
import type { Log } from "../kernel/log.ts";
import type { Mailer } from "../kernel/mail.ts";
import { mailOf, type Platform, type Words } from "./words.ts";

export type Mails = { mailer: Mailer; log: Log; platform: Platform };

type Person = { sub: string; email: string; email_verified?: boolean | undefined };

/**
 * Never rejects. An address that nobody has proved may be a stranger's, who gets no mail.
 * @param problem the log's word for a mail that could not be sent
 */
export async function tell(
  { mailer, log, platform }: Mails,
  { sub, email, email_verified }: Person,
  words: Words,
  problem: string,
): Promise<void> {
  if (email_verified === false) return;
  try {
    await mailer.send(mailOf(words, email, platform));
  } catch (error) {
    log.problem(problem, { sub }, error);
  }
}
