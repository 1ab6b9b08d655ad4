// The runtime of Amazon Bedrock for Claude models, with answers by rule or from a real Messages API, and a record of every call.
import { accountIn } from "../aws/account.ts";
import { exceptionFrame } from "../aws/event-stream.ts";
import { type Authorization, AwsError, type AwsRequest, type AwsResponse, type AwsService } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import { type ListOperation, listAnswer, listOperation } from "../model-lists/lists.ts";
import { BuiltInEngine } from "./built-in-engine.ts";
import type { Engine, EventIterator, Invocation } from "./engine.ts";
import { type Fault, Faults, type Interruption } from "./faults.ts";
import { chunkFrame } from "./frames.ts";
import { invocationLine } from "./invocation-log.ts";
import { Journal, type ReceivedCall } from "./journal.ts";
import { parseJson } from "./json-body.ts";
import { messagesFailure } from "./messages-failure.ts";
import {
  findModel,
  type HostModel,
  HostModels,
  knownModels,
  modelReference,
  requireCounting,
  requireThroughput,
} from "./models.ts";
import { eventBytes, failureBytes, invokedText, nativeEvent } from "./native-messages.ts";
import { type BedrockOperation, type ModelRequest, route } from "./operations.ts";
import { checkBody, checkLimits, checkSize } from "./request/validation.ts";
import { changedSettings, defaultSettings, type Settings, type SettingsChange } from "./settings.ts";
import { Transmission, type Wire } from "./transmission.ts";
import { usageHeaders } from "./usage.ts";

export type BedrockOptions = {
  clock: Clock;
  /** The settings that differ from `defaultSettings`. */
  settings?: Partial<Settings>;
  /** A real server that answers instead of the built-in rules. */
  upstream?: Engine | undefined;
  models?: readonly HostModel[];
  /** Takes the line of each call that is over, where invocations are logged. */
  logInvocation?: ((line: string) => void) | undefined;
};

const json = { "content-type": "application/json" };
const eventStreamFrames = {
  headers: {
    "content-type": "application/vnd.amazon.eventstream",
    "x-amzn-bedrock-content-type": "application/json",
  },
  shown: (json: string) => json,
  encode: chunkFrame,
  failure: exceptionFrame,
};
const serverSentEvents = {
  headers: { "content-type": "text/event-stream; charset=utf-8" },
  shown: nativeEvent,
  encode: eventBytes,
  failure: failureBytes,
};

export class Bedrock implements AwsService {
  readonly signingName = "bedrock";
  readonly models: HostModels;
  readonly #initialSettings: Settings;
  readonly #engine: Engine;
  readonly #logInvocation: BedrockOptions["logInvocation"];
  readonly #journal: Journal;
  readonly #faults = new Faults();
  readonly #open = new Set<Transmission>();
  #idle: (() => void)[] = [];
  #settings: Settings;

  constructor({ clock, settings = {}, upstream, models = knownModels, logInvocation }: BedrockOptions) {
    this.models = new HostModels(models);
    this.#logInvocation = logInvocation;
    this.#initialSettings = changedSettings(defaultSettings, settings);
    this.#settings = this.#initialSettings;
    this.#engine = upstream ?? new BuiltInEngine(clock);
    this.#journal = new Journal(clock);
  }

  operation(request: AwsRequest): BedrockOperation | ListOperation {
    return listOperation(request) ?? route(request).operation;
  }

  /**
   * A profile needs the right on itself, and on the model for calls that come through it: in the region that is called and, if it
   * is global, in none (docs.aws.amazon.com/bedrock/latest/userguide/global-cross-region-inference.html).
   */
  authorizations(operation: string, request: AwsRequest): Authorization[] {
    if (listOperation(request)) return [{ action: `bedrock:${operation}`, resource: "*" }];
    const account = request.principal && accountIn(request.principal.roleArn);
    const { base, profile } = modelReference(route(request).modelId, request.region, account);
    const action = `bedrock:${operation}`;
    const resource = `arn:aws:bedrock:${request.region}::foundation-model/${base}`;
    if (!profile) return [{ action, resource }];
    const through = { "bedrock:InferenceProfileArn": profile.arn };
    const rights = [
      { action, resource: profile.arn },
      { action, resource, context: through },
    ];
    if (profile.geography !== "global") return rights;
    const context = { ...through, "aws:RequestedRegion": "unspecified" };
    return [...rights, { action, resource: `arn:aws:bedrock:::foundation-model/${base}`, context }];
  }

  async handle(_operation: string, request: AwsRequest): Promise<AwsResponse> {
    const list = listOperation(request);
    if (list) return listAnswer(list, this.models.all, request);
    const called = route(request);
    const answer = this.#record(request, called, (call) => this.#answer(call, request));
    if (!called.isNative) return answer;
    return answer.catch((error) => {
      if (error instanceof AwsError) return messagesFailure(error);
      throw error;
    });
  }

  /**
   * The count of the Messages endpoint (`messages-endpoint.ts`), which has the models, faults and record of this host.
   * @param read gives the text of the body in InvokeModel's form
   * @throws AwsError
   */
  async countMessages(request: AwsRequest, modelId: string, read: () => string): Promise<AwsResponse> {
    return this.#record(request, { operation: "CountTokens", modelId }, async (call) => {
      const reference = modelReference(modelId, request.region);
      const fault = this.#faults.take("CountTokens", reference, request.region);
      if (fault instanceof AwsError) throw fault;
      const model = findModel(this.models.all, reference, request.region);
      const text = read();
      const body = checkBody(parseJson(text), model);
      const invocation = { call, reference, model, body, text, settings: this.#settings };
      return this.#count(invocation, fault, (tokens) => ({ input_tokens: tokens }));
    });
  }

  async #record(
    request: AwsRequest,
    called: ModelRequest,
    answer: (call: ReceivedCall) => Promise<AwsResponse>,
  ): Promise<AwsResponse> {
    const call = this.#journal.open(request, called);
    try {
      return await answer(call);
    } catch (error) {
      call.outcome = "failed";
      call.error = error instanceof AwsError ? error.code : String(error);
      this.#log(call);
      throw error;
    }
  }

  failure(error: AwsError): AwsResponse {
    const type = `${error.code}:http://internal.amazon.com/coral/com.amazon.bedrock/`;
    const body = JSON.stringify({ message: error.message, ...error.members });
    return { status: error.status, headers: { ...json, "x-amzn-errortype": type }, body };
  }

  /**
   * Changes settings from the next call on.
   * @throws Error that names what is unknown or out of range.
   */
  configure(change: SettingsChange): void {
    this.#settings = changedSettings(this.#settings, change);
  }

  /**
   * Makes the next call that fits fail, or the next `times` ones.
   * @throws Error for an unknown fault.
   */
  fail(fault: Fault): void {
    this.#faults.add(fault);
  }

  /** The calls received, newest last. Calls that IAM refused never come here. */
  requests(): ReceivedCall[] {
    return this.#journal.calls();
  }

  /** Removes all records, faults and cached prompts, and restores the first settings and models. Ids go on counting. */
  clear(): void {
    this.#journal.clear();
    this.#faults.clear();
    this.#engine.clear();
    this.#settings = this.#initialSettings;
    this.models.clear();
  }

  /** Resolves once nothing is being sent or generated. */
  async idle(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Sends the rest of every answer in progress at once, without pace or stall. */
  resume(): void {
    for (const transmission of this.#open) transmission.resumeSending();
  }

  /** Cuts every answer in progress. */
  close(): void {
    this.#engine.close();
    for (const transmission of this.#open) transmission.destroy();
  }

  async #answer(call: ReceivedCall, request: AwsRequest): Promise<AwsResponse> {
    const { operation, modelId, region, isNative } = call;
    const reference = modelReference(modelId, region);
    const fault = this.#faults.take(operation, reference, region);
    if (fault instanceof AwsError) throw fault;
    checkSize(request.body.length);
    const model = findModel(this.models.all, reference, region);
    if (operation === "CountTokens") requireCounting(model);
    else requireThroughput(model, reference, region);
    const sent = isNative ? invokedText(request) : request.body.toString();
    const text = operation === "CountTokens" ? innerBody(call.body) : sent;
    const body = checkBody(parseJson(text), model);
    if (operation !== "CountTokens") checkLimits(body, model);
    const invocation = { call, reference, model, body, text, settings: this.#settings };
    switch (operation) {
      case "CountTokens":
        return this.#count(invocation, fault, (inputTokens) => ({ inputTokens }));
      case "InvokeModel":
        return this.#invoke(invocation, fault);
      case "InvokeModelWithResponseStream":
        return this.#stream(invocation, fault);
    }
  }

  async #count(
    invocation: Invocation,
    interruption: Interruption | undefined,
    answer: (tokens: number) => object,
  ): Promise<AwsResponse> {
    const text = JSON.stringify(answer(await this.#engine.countTokens(invocation)));
    return { status: 200, headers: json, body: this.#whole(invocation, text, 0, interruption) };
  }

  async #invoke(invocation: Invocation, interruption: Interruption | undefined): Promise<AwsResponse> {
    const message = await this.#engine.message(invocation);
    const headers = invocation.call.usage && usageHeaders(invocation.call.usage, message.latency);
    const body = this.#whole(invocation, message.json, message.tokens, interruption);
    return { status: 200, headers: { ...json, ...headers }, body };
  }

  async #stream(invocation: Invocation, interruption: Interruption | undefined): Promise<AwsResponse> {
    const events = await this.#engine.events(invocation);
    const wire = invocation.call.isNative ? serverSentEvents : eventStreamFrames;
    return { status: 200, headers: wire.headers, body: this.#transmit(invocation, events, wire, interruption) };
  }

  /** A whole answer, which is sent at once if no setting or fault delays it. */
  #whole(
    invocation: Invocation,
    text: string,
    tokens: number,
    interruption: Interruption | undefined,
  ): AwsResponse["body"] {
    const { call, settings } = invocation;
    if (!interruption && settings.firstByteMs + tokens * settings.millisecondsPerToken === 0) {
      call.chunks.push(text);
      call.outcome = "complete";
      this.#log(call);
      return text;
    }
    const events = [{ type: "whole", json: text, tokens }].values();
    const after = interruption?.error === "truncate" ? Number.POSITIVE_INFINITY : 0;
    const wire = { ...eventStreamFrames, encode: Buffer.from };
    return this.#transmit(invocation, events, wire, interruption && { ...interruption, after });
  }

  #log(call: ReceivedCall): void {
    const line = this.#logInvocation && invocationLine(call);
    if (line) this.#logInvocation?.(line);
  }

  #transmit(
    { call, settings }: Invocation,
    events: EventIterator,
    wire: Wire,
    interruption: Interruption | undefined,
  ): Transmission {
    const closed = () => {
      this.#log(call);
      this.#open.delete(transmission);
      if (this.#open.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    };
    const transmission = new Transmission({ call, events, wire, interruption, settings, closed });
    this.#open.add(transmission);
    return transmission;
  }
}

/** The text of the InvokeModel body inside a CountTokens body. */
function innerBody(outer: unknown): string {
  const { input } = (outer ?? {}) as { input?: { invokeModel?: { body?: unknown }; converse?: unknown } };
  const inner = input?.invokeModel?.body;
  if (typeof inner === "string") return Buffer.from(inner, "base64").toString();
  const message = input?.converse
    ? "The local model host counts input.invokeModel only."
    : "input.invokeModel.body: Field required";
  throw new AwsError("ValidationException", message);
}
