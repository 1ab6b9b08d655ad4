// The user pool's token endpoint, which takes a form and answers with JSON.
import https from "node:https";
import { agents } from "../connections.ts";

const timeoutMs = 8_000;
/** Tokens are a few kilobytes. */
const maxBytes = 64 * 1024;

type TokenRequest = { form: string; authorization: string | undefined };

/** @returns a call that throws Error if there is no whole answer in time */
export function tokenEndpoint(url: string) {
  const { httpsAgent: agent } = agents();
  return ({ form, authorization }: TokenRequest) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        "content-length": Buffer.byteLength(form),
        ...(authorization !== undefined && { authorization }),
      };
      const options = { method: "POST", headers, agent, signal: AbortSignal.timeout(timeoutMs) };
      const request = https.request(url, options, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) return void request.destroy(new Error("the token endpoint's answer is too large"));
          chunks.push(chunk);
        });
        response.once("error", reject);
        response.once("end", () => {
          resolve({ status: response.statusCode ?? 502, body: Buffer.concat(chunks).toString("utf8") });
        });
      });
      request.once("error", reject);
      request.end(form);
    });
}
