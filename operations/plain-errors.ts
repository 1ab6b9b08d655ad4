// Makes a command of operators tell what went wrong in words: whoever runs it reads them, and a trace of calls helps only with mistakes of
// the program itself.
import { inspect } from "node:util";

process.on("uncaughtException", (error: unknown) => {
  console.error(isOwnMistake(error) ? inspect(error) : (error as Error).message);
  process.exit(1);
});

function isOwnMistake(error: unknown): boolean {
  if (!(error instanceof Error) || error.message === "") return true;
  const isOfLanguage = [TypeError, ReferenceError, RangeError].some((kind) => error instanceof kind);
  return isOfLanguage && !("code" in error);
}
