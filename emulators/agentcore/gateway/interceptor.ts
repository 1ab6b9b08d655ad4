// The interceptors of a gateway: functions that the gateway's role calls with each message, by the contract of
// docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-interceptors-types.html.
import * as z from "zod";
import type { GatewayRole } from "./gateway-role.ts";
import type { Gateway } from "./gateways.ts";

export type McpRequest = { text: string; headers: Record<string, string>; body: unknown };
export type McpResponse = { status: number; headers: Record<string, string>; body: unknown };

type Point = "REQUEST" | "RESPONSE";
type Parts = { role: GatewayRole; invoke: (functionArn: string, event: unknown) => Promise<unknown> };

const headers = z.record(z.string(), z.string()).optional();
const request = z.strictObject({ headers, body: z.unknown() });
const response = z.strictObject({ statusCode: z.int().min(100).max(599), headers, body: z.unknown() });

const output = z.strictObject({
  interceptorOutputVersion: z.literal("1.0"),
  mcp: z.strictObject({
    transformedGatewayRequest: request.optional(),
    transformedGatewayResponse: response.optional(),
  }),
});

/** The text in AWS's own logs for an answer of another shape. The call fails. */
const invalid = "Received invalid response from interceptor";

/** Gives the request that goes on, or the response that ends the call. @throws Error if the interceptor fails or answers in another shape. */
export async function interceptRequest(
  gateway: Gateway,
  given: McpRequest,
  parts: Parts,
): Promise<{ request: McpRequest } | { response: McpResponse }> {
  const answer = await intercepted("REQUEST", gateway, given, null, parts);
  if (!answer) return { request: given };
  const { transformedGatewayResponse: response, transformedGatewayRequest: request } = answer;
  // A response counts even beside a request.
  if (response) return { response: responseOf(response) };
  if (!request) throw new Error(invalid);
  return { request: { ...given, headers: { ...given.headers, ...lowerCased(request.headers) }, body: request.body } };
}

/** Gives the response that the caller gets. @throws Error if the interceptor fails or answers in another shape. */
export async function interceptResponse(
  gateway: Gateway,
  request: McpRequest,
  given: McpResponse,
  parts: Parts,
): Promise<McpResponse> {
  const gatewayResponse = { statusCode: given.status, headers: given.headers, body: given.body };
  const answer = await intercepted("RESPONSE", gateway, request, gatewayResponse, parts);
  if (!answer) return given;
  if (!answer.transformedGatewayResponse) throw new Error(invalid);
  const { status, headers, body } = responseOf(answer.transformedGatewayResponse);
  return { status, headers: { ...given.headers, ...headers }, body };
}

async function intercepted(
  point: Point,
  gateway: Gateway,
  { text, headers, body }: McpRequest,
  gatewayResponse: object | null,
  { role, invoke }: Parts,
): Promise<z.output<typeof output>["mcp"] | undefined> {
  const found = gateway.definition.interceptorConfigurations?.find(({ interceptionPoints }) =>
    interceptionPoints.includes(point),
  );
  if (!found) return undefined;
  const { arn } = found.interceptor.lambda;
  await role.check(gateway, `${point} interceptor`, [{ action: "lambda:InvokeFunction", resource: arn }]);
  const passed = found.inputConfiguration?.passRequestHeaders === true && { headers: titled(headers) };
  const event = {
    interceptorInputVersion: "1.0",
    mcp: {
      rawGatewayRequest: { body: text },
      gatewayRequest: { path: "/mcp", httpMethod: "POST", ...passed, body, context: null },
      gatewayResponse,
    },
  };
  const parsed = output.safeParse(await invoke(arn, event));
  if (!parsed.success) throw new Error(invalid);
  return parsed.data.mcp;
}

function responseOf({ statusCode, headers, body }: z.output<typeof response>): McpResponse {
  return { status: statusCode, headers: lowerCased(headers), body };
}

/** A captured event had names such as `Authorization`. */
function titled(headers: Record<string, string>): Record<string, string> {
  const title = (name: string) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [title(name), value]));
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
