// `npm run check:stripe` records the v1 requests that the tests send to the local Stripe and sends them to stripe-mock, which knows each
// parameter of Stripe's specification. It fails on any complaint. Arguments name other tests to record.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import type { RecordedRequest } from "../../emulators/stripe/recording.ts";
import { GoMissing, installStripeMock, mockVersion, startStripeMock } from "./stripe-mock.ts";

const tests = ["emulators/test/stripe", "test/adapters/stripe", "test/operations", "test/domain/provisioning/billing-"];

/** Requests that the local Stripe refused with one of these codes are not sent to the mock: a test sends them to be refused. */
const refusedOnPurpose = ["parameter_unknown", "parameter_missing", "parameter_invalid"];

/** Wrong requests, which the mock must complain about: with an unknown parameter, a parameter of another type, a missing parameter. */
const planted = [
  { method: "POST", url: "/v1/customers", body: "nmae=Ada" },
  { method: "GET", url: "/v1/customers?limit=many", body: "" },
  { method: "POST", url: "/v1/subscriptions", body: "items[0][price]=price_1&billing_cycle_anchor_config[day]=1" },
  { method: "POST", url: "/v1/billing/meters", body: "display_name=A&event_name=a" },
].map((request): RecordedRequest => ({ ...request, operation: "planted", status: 0 }));

try {
  process.exitCode = await check(installStripeMock());
} catch (error) {
  if (!(error instanceof GoMissing)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

/** @returns the exit code. */
async function check(program: string): Promise<number> {
  const requests = record(process.argv.length > 2 ? process.argv.slice(2) : tests);
  const sent = distinct(requests.filter(({ code = "" }) => !refusedOnPurpose.includes(code)));
  const mock = await startStripeMock(program);
  try {
    for (const request of planted) {
      if ((await complaintsAbout(request, mock.url)).length === 0) {
        throw new Error(`stripe-mock finds nothing wrong with ${request.method} ${request.url} ${request.body}`);
      }
    }
    const complaints: string[] = [];
    for (const request of sent) complaints.push(...(await complaintsAbout(request, mock.url)));
    console.log(`stripe-mock ${mockVersion}, SDK ${Stripe.PACKAGE_VERSION} (${Stripe.API_VERSION})`);
    console.log(
      `${sent.length} different requests to ${new Set(sent.map(({ operation }) => operation)).size} operations`,
    );
    console.log(`${requests.length - sent.length} were repeats, or sent to be refused for a parameter`);
    for (const complaint of complaints) console.error(complaint);
    return complaints.length === 0 && sent.length > 0 ? 0 : 1;
  } finally {
    mock.stop();
  }
}

/** Runs the tests and gives what they sent. @throws Error if they fail */
function record(paths: string[]): RecordedRequest[] {
  const folder = mkdtempSync(join(tmpdir(), "archway-stripe-"));
  try {
    const env = { ...process.env, STRIPE_REQUESTS_DIR: folder };
    const options = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"];
    const jest = spawnSync(process.execPath, [...options, "node_modules/jest/bin/jest.js", ...paths], {
      env,
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (jest.status !== 0) throw new Error("The tests whose requests are recorded fail");
    const lines = globSync(join(folder, "*.jsonl")).flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
    return lines.map((line) => JSON.parse(line) as RecordedRequest);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ids and times differ in every test; what is left of a request is its form. */
function distinct(requests: RecordedRequest[]): RecordedRequest[] {
  const form = ({ method, url, body }: RecordedRequest) =>
    [method, url, body].join(" ").replaceAll(/[a-z]+_(test_)?[A-Za-z0-9]{14,}|\d{9,}|127\.0\.0\.1%3A\d+/g, "*");
  return [...new Map(requests.map((request) => [form(request), request])).values()];
}

async function complaintsAbout({ method, url, body, operation }: RecordedRequest, mock: string): Promise<string[]> {
  const answer = await fetch(`${mock}${url}`, {
    method,
    headers: {
      authorization: "Bearer sk_test_x",
      ...(method === "POST" && { "content-type": "application/x-www-form-urlencoded" }),
    },
    ...(method === "POST" && { body }),
  });
  if (answer.ok) return [];
  const { error } = (await answer.json()) as { error?: { message?: string } };
  return [`${operation} ${method} ${url} ${body}: ${answer.status} ${error?.message}`];
}
