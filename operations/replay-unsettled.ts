// Sends the usage in lines of the proxy's log to the queue of unsettled usage. Twice does no harm.
// Lines come on the standard input, the queue's URL is the argument; credentials and region as AWS's tools take them.
import { createInterface } from "node:readline";
import { jobQueue } from "../adapters/sqs.ts";
import { replay } from "../domain/budget/unsettled.ts";
import "./plain-errors.ts";

const [url] = process.argv.slice(2);
if (!url) throw new Error("Usage: npm run -s replay -- QUEUE_URL < LINES");
const replayed = await replay(createInterface({ input: process.stdin }), jobQueue(url));
console.log(`${replayed} of the lines were usage, and are in the queue.`);
