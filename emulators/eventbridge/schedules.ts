// Schedules: EventBridge rules at a rate, whose targets are functions. They run by the machine's clock, or on demand.
import type { Functions } from "../lambda/functions.ts";
import type { DeclaredResource, Resources } from "../pulumi/resources.ts";
import { eventRule, eventTarget } from "../pulumi/services/eventbridge.ts";

const unitMs: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

type Schedule = { name: string; everyMs: number; functionArn: string };

export class Schedules {
  readonly #schedules: Schedule[];
  readonly #functions: Functions;
  readonly #timers: NodeJS.Timeout[] = [];

  /** @throws Error for a rule that is not a rate, or has no function as its one target. */
  constructor(resources: Resources, functions: Functions) {
    this.#functions = functions;
    this.#schedules = resources.ofType(eventRule.type).map((rule) => scheduleOf(rule, resources, functions));
  }

  get names(): string[] {
    return this.#schedules.map(({ name }) => name);
  }

  /** Starts each schedule at its rate. */
  start(): void {
    for (const { name, everyMs } of this.#schedules) {
      this.#timers.push(setInterval(() => void this.run(name).catch(console.error), everyMs).unref());
    }
  }

  /** Runs a schedule's function now. @throws Error for an unknown schedule, and the function's own error. */
  async run(name: string): Promise<void> {
    const schedule = this.#schedules.find((known) => known.name === name);
    if (!schedule)
      throw new Error(`The program declares no schedule "${name}". It declares: ${this.names.join(", ")}.`);
    await this.#functions
      .byArn(schedule.functionArn)
      .invoke({ source: "aws.events", "detail-type": "Scheduled Event" });
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}

function scheduleOf({ name, inputs, outputs }: DeclaredResource, resources: Resources, functions: Functions): Schedule {
  const targets = resources.ofType(eventTarget.type).filter(({ inputs: target }) => target.rule === outputs.name);
  const [, count, unit = ""] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(inputs.scheduleExpression ?? "") ?? [];
  if (!count) throw new Error(`Event rule "${name}": the local stack knows schedules such as rate(15 minutes).`);
  const [target, ...more] = targets;
  if (!target || more.length > 0) throw new Error(`Event rule "${name}": the local stack knows one target for a rule.`);
  const everyMs = Number(count) * (unitMs[unit] ?? Number.NaN);
  return { name, everyMs, functionArn: functions.byArn(target.inputs.arn).settings.arn };
}
