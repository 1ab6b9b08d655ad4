// The operations on sessions of Code Interpreters: those of AgentCore's data plane, with paths and members as
// @aws-sdk/client-bedrock-agentcore has them.
import * as z from "zod";
import { eventFrame } from "../../aws/event-stream.ts";
import { parsedInput } from "../../aws/input.ts";
import type { AwsRequest, AwsResponse } from "../../aws/service.ts";
import { isoTime } from "../ids.ts";
import { pageOf } from "../members.ts";
import { type AgentCoreCall, type AgentCoreOperation, operation, right } from "../operation.ts";
import { interpreterArn } from "./interpreters.ts";
import type { KeptSession, Sessions } from "./sessions.ts";
import { invocation } from "./tool-input.ts";

const path = "/code-interpreters/{codeInterpreterIdentifier}";
const one = { codeInterpreterIdentifier: z.string().min(1) };
const sessionId = z.string().regex(/^[0-9a-zA-Z]{1,40}$/);
const oneSession = { ...one, sessionId };
const clientToken = z.string().min(33).max(256).optional();

/** The header in which an invocation names its session, and its answer, too. */
const sessionHeader = "x-amzn-code-interpreter-session-id";

const rights = ({ codeInterpreterIdentifier }: { codeInterpreterIdentifier: string }, call: AgentCoreCall) => [
  right(call, interpreterArn(call.region, codeInterpreterIdentifier)),
];

export const sessionOperations: Record<string, AgentCoreOperation> = {
  StartCodeInterpreterSession: operation(
    `PUT ${path}/sessions/start`,
    200,
    z.strictObject({
      ...one,
      name: z.string().min(1).max(100).optional(),
      // "Maximum allowed: 28,800 seconds".
      sessionTimeoutSeconds: z.int().min(1).max(28_800).default(900),
      clientToken,
    }),
    rights,
    ({ codeInterpreterIdentifier, sessionTimeoutSeconds, name, clientToken }, { sessions, region }) => {
      const interpreter = sessions.interpreter(codeInterpreterIdentifier, region);
      const { id, createdAt } = sessions.start(interpreter, {
        name,
        clientToken,
        timeoutSeconds: sessionTimeoutSeconds,
      });
      return { codeInterpreterIdentifier, sessionId: id, createdAt: isoTime(createdAt) };
    },
  ),

  StopCodeInterpreterSession: operation(
    `PUT ${path}/sessions/stop`,
    200,
    z.strictObject({ ...oneSession, clientToken }),
    rights,
    async ({ codeInterpreterIdentifier, sessionId }, { sessions, region }) => {
      const kept = sessions.get(sessions.interpreter(codeInterpreterIdentifier, region), sessionId);
      await sessions.stop(kept);
      return { codeInterpreterIdentifier, sessionId, lastUpdatedAt: isoTime(kept.updatedAt) };
    },
  ),

  GetCodeInterpreterSession: operation(
    `GET ${path}/sessions/get`,
    200,
    z.strictObject(oneSession),
    rights,
    ({ codeInterpreterIdentifier, sessionId }, { sessions, region }) => {
      const kept = sessions.get(sessions.interpreter(codeInterpreterIdentifier, region), sessionId);
      const { lastUpdatedAt: _, ...described } = describeSession(kept);
      return { ...described, sessionTimeoutSeconds: kept.timeoutSeconds };
    },
  ),

  ListCodeInterpreterSessions: operation(
    `POST ${path}/sessions/list`,
    200,
    z.strictObject({
      ...one,
      maxResults: z.int().min(1).max(100).default(10),
      nextToken: z.string().regex(/^\d+$/).optional(),
      status: z.enum(["READY", "TERMINATED"]).optional(),
    }),
    rights,
    ({ codeInterpreterIdentifier, status, ...wanted }, { sessions, region }) => {
      const all = sessions.of(sessions.interpreter(codeInterpreterIdentifier, region)).toReversed();
      const matching = all.filter((kept) => status === undefined || kept.status === status);
      const { page, ...next } = pageOf(matching, wanted);
      return { items: page.map(describeSession), ...next };
    },
  ),

  // The answer is an event stream, which `invoked` makes.
  InvokeCodeInterpreter: operation(`POST ${path}/tools/invoke`, 200, z.looseObject(one), rights, () => undefined),
};

export function describeSession({ id, interpreter, name, status, createdAt, updatedAt }: KeptSession) {
  return {
    codeInterpreterIdentifier: interpreter.id,
    sessionId: id,
    ...(name !== undefined && { name }),
    status,
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(updatedAt),
  };
}

/** @throws AwsError for a session that is not there or has ended, and for a tool that the local stack does not have. */
export async function invoked(sessions: Sessions, request: AwsRequest): Promise<AwsResponse> {
  const interpreter = sessions.interpreter(decodeURIComponent(request.path.split("/")[2] ?? ""), request.region);
  const id = parsedInput(sessionId, request.headers[sessionHeader], "ValidationException");
  const { session } = sessions.ready(interpreter, id);
  const tool = parsedInput(invocation, JSON.parse(request.body.toString("utf8")), "ValidationException");
  return {
    status: 200,
    headers: { "content-type": "application/vnd.amazon.eventstream", [sessionHeader]: id },
    body: eventFrame("result", await session.invoke(tool)),
  };
}
